// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether the code that a process has loaded is its own: its executable, what the system's owner put where others
/// cannot change it, and what its manifest names.
///
/// `LD_PRELOAD`, `LD_AUDIT` and `LD_LIBRARY_PATH` bring a library of somebody else into a process; this finds it. What
/// is written into the memory of a process leaves no trace here (ThreatModel).
struct LoadedCode {
    let trust: FileTrust
    let hashes: ExecutableHashes

    /// Checks the files that code comes from.
    ///
    /// - Parameters:
    ///   - mappings: those of the process.
    ///   - executable: what it runs.
    ///   - libraries: those that its manifest names.
    /// - Throws: ``IdentityError`` with the first file that is neither.
    func check(
        _ mappings: [MemoryMapping],
        of executable: borrowing Executable,
        _ libraries: Set<SHA256Value>
    ) throws(IdentityError) {
        for mapping in mappings {
            guard !mapping.path.hasSuffix(" (deleted)"), mapping.path.hasPrefix("/"),
                let file = Descriptor(mapping.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), let status = file.status,
                status.st_mode & S_IFMT == S_IFREG, try Self.isMapped(mapping, file, status)
            else {
                throw IdentityError(
                    "it runs code of \(mapping.path), which is not there, or not any more; start the program again"
                )
            }
            if FileMark(status).isSameFile(as: executable.mark) { continue }
            guard let reason = trust.objection(to: mapping.path) else { continue }
            if !libraries.isEmpty {
                let (digest, _) = try hashes.digest(of: file.number, mapping.path)
                if libraries.contains(digest) { continue }
            }
            throw IdentityError(
                "it runs code of \(mapping.path), which \(reason), and which no manifest of it names (LD_PRELOAD, LD_AUDIT?)"
            )
        }
    }

    /// Whether what a path leads to is what is mapped.
    ///
    /// On some file systems, among them overlayfs and btrfs, the kernel names another device and another number in the
    /// list than fstat(2) does. What it says of the file there is learned by mapping it.
    private static func isMapped(
        _ mapping: MemoryMapping,
        _ file: borrowing Descriptor,
        _ status: stat
    ) throws(IdentityError) -> Bool {
        if mapping.inode == UInt64(status.st_ino), mapping.device == deviceText(status.st_dev) { return true }
        guard let page = mmap(nil, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.number, 0), page != MAP_FAILED else {
            return false
        }
        defer { munmap(page, 1) }
        guard let maps = Descriptor("/proc/self/maps", O_RDONLY),
            let text = maps.contents(limit: MemoryMapping.largestByteCount)
        else { throw .system("reading", "/proc/self/maps", errno) }
        let start = String(UInt(bitPattern: page), radix: 16)
        let lines = text.split(separator: UInt8(ascii: "\n")).filter { line in
            line.drop { $0 == UInt8(ascii: "0") }.starts(with: "\(start)-".utf8)
        }
        let own = MemoryMapping.executable(in: Array(lines.joined(separator: [UInt8(ascii: "\n")])))?.first
        return own?.inode == mapping.inode && own?.device == mapping.device
    }

    /// Major and minor number, as the kernel writes them in the list; where makedev(3) puts them.
    private static func deviceText(_ device: dev_t) -> String {
        let device = UInt64(device)
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        return [major, minor].map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
            .joined(separator: ":")
    }
}
