// SPDX-License-Identifier: Apache-2.0

/// The executable mappings of a process: those lines of `/proc/PID/maps` (proc(5)).
struct ExecutableMemory: MemoryList, Sendable, Hashable {
    /// The files that are mapped, each once.
    private(set) var files: [MemoryMapping] = []

    /// Which parts of each of the files are mapped.
    private(set) var parts: [MemoryMapping: [Range<UInt64>]] = [:]

    /// Anonymous mappings, by the kernel's name, such as `[stack]`; it is often empty.
    private(set) var generated: [String] = []

    /// The addresses of code that must not have been modified: of files, and the kernel's own.
    private(set) var unwritten: [Range<UInt64>] = []

    /// The maximum size of a list: the kernel allows 65,530 mappings by default.
    static let largestByteCount = 1 << 24

    /// The maximum number of executable mappings: each library of a program has one.
    static let maximumMappings = 8_192

    /// The kernel's own mappings.
    ///
    /// A process can also name mappings; such a name begins with `[anon:` (prctl(2), PR_SET_VMA_ANON_NAME).
    private static let ofKernel: Set<String> = ["[vdso]", "[vsyscall]", "[uprobes]"]

    mutating func read(_ line: ArraySlice<UInt8>) -> Bool {
        // Of the path only the line feeds are escaped; it may begin and end with blanks.
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: false)
        guard words.count >= 5, words[1].count == 4, let addresses = MemoryMapping.addresses(words[0]),
            let inode = String(validating: words[4], as: UTF8.self).flatMap({ UInt64($0) }),
            let device = String(validating: words[3], as: UTF8.self),
            let offset = String(validating: words[2], as: UTF8.self).flatMap({ UInt64($0, radix: 16) })
        else { return false }
        guard words[1][words[1].startIndex + 2] == UInt8(ascii: "x") else { return true }
        guard !isFull else { return false }
        let padded = words.count > 5 ? words[5] : []
        guard let path = String(validating: padded.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) else {
            return false
        }
        if inode != 0 {
            let mapping = MemoryMapping(device: device, inode: inode, path: MemoryMapping.unescaped(path))
            let (end, isTooLarge) = offset.addingReportingOverflow(addresses.upperBound - addresses.lowerBound)
            guard !isTooLarge else { return false }
            if parts[mapping] == nil { files.append(mapping) }
            parts[mapping, default: []].append(offset..<end)
        } else if !Self.ofKernel.contains(path) {
            generated.append(path)
            return true
        }
        unwritten.append(addresses)
        return true
    }

    let isComplete = true

    var isFull: Bool { unwritten.count + generated.count >= Self.maximumMappings }
}
