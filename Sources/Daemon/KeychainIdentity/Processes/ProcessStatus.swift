// SPDX-License-Identifier: Apache-2.0

/// Parts of the files `stat` and `status` of a process (proc(5)).
enum ProcessStatus {
    /// Field 22 of `stat`.
    ///
    /// The name of the program, field 2, may contain spaces and parentheses.
    static func startTime(_ stat: [UInt8]) -> UInt64? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "))
        // The first of them is field 3.
        return fields.count > 19 ? number(fields[19]) : nil
    }

    /// The traits that threads with the same memory share: the sizes of their code, and, because it belongs to one
    /// program, their four user IDs.
    ///
    /// The kernel takes no lock of the process for `status`; for `stat`, newer versions do.
    ///
    /// - Returns: The numbers; `nil` for a thread without memory, or whose memory has no program yet.
    static func memoryTraits(_ status: [UInt8]) -> [UInt64]? {
        let sizes = ["VmExe:", "VmLib:"].compactMap { field($0, in: status).first.flatMap { number($0) } }
        guard sizes.count == 2, sizes[0] > 0 else { return nil }
        return sizes + field("Uid:", in: status).compactMap { number($0) }
    }

    /// The process that traces this one.
    static func tracer(_ status: [UInt8]) -> Int32? {
        field("TracerPid:", in: status).first.flatMap { number($0) }.flatMap { Int32(exactly: $0) }
    }

    /// The size of its executable memory, in KiB; `nil` for a process without any.
    ///
    /// The kernel counts it, so reading it is faster than reading the list of mappings.
    static func codeSize(_ status: [UInt8]) -> UInt64? {
        let sizes = ["VmExe:", "VmLib:"].map { field($0, in: status).first.flatMap { number($0) } }
        guard let executable = sizes[0], let libraries = sizes[1] else { return nil }
        return executable &+ libraries
    }

    /// How many PID namespaces it is in, from that of the reader on.
    static func namespaceCount(_ status: [UInt8]) -> Int { field("NSpid:", in: status).count }

    /// The second of the four users.
    static func effectiveUser(_ status: [UInt8]) -> UInt32? {
        let users = field("Uid:", in: status)
        return users.count == 4 ? number(users[1]).flatMap { UInt32(exactly: $0) } : nil
    }

    /// The capabilities that it has or may acquire, a bit for each; they apply in its user namespace.
    static func permittedCapabilities(_ status: [UInt8]) -> UInt64? {
        let words = field("CapPrm:", in: status)
        guard words.count == 1, let digits = String(validating: words[0], as: UTF8.self) else { return nil }
        return UInt64(digits, radix: 16)
    }

    /// The number of its system call filters (seccomp(2)).
    ///
    /// Linux counts filters since 5.9; before, several count as one.
    static func filterCount(_ status: [UInt8]) -> UInt64 {
        value("Seccomp:", in: status) == modeOfFilters ? value("Seccomp_filters:", in: status) ?? 1 : 0
    }

    /// The number of its filters if they may have been installed without privileges: a process that does so first gives
    /// up acquiring any, also for the programs it executes.
    static func unprivilegedFilterCount(_ status: [UInt8]) -> UInt64 {
        value("NoNewPrivs:", in: status) == 1 ? filterCount(status) : 0
    }

    private static func value(_ name: String, in status: [UInt8]) -> UInt64? {
        field(name, in: status).first.flatMap { number($0) }
    }

    private static let modeOfFilters: UInt64 = 2

    /// The words after a name at the beginning of a line.
    ///
    /// The name of the program, on the first line, has its line feeds escaped.
    private static func field(_ name: String, in status: [UInt8]) -> [ArraySlice<UInt8>] {
        for line in status.split(separator: UInt8(ascii: "\n")) where line.starts(with: name.utf8) {
            return line.dropFirst(name.utf8.count).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        }
        return []
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        let digits = digits.last == UInt8(ascii: "\n") ? digits.dropLast() : digits
        return String(validating: digits, as: UTF8.self).flatMap { UInt64($0) }
    }
}
