// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// Checks that the code that a process has loaded is its own: all of its executable's, libraries that only root can
/// change and that are not interpreters, and libraries that its manifest lists.
///
/// Variables such as `LD_PRELOAD` load foreign libraries into a process (``LoaderVariables``); this detects them, and
/// code that such a library leaves behind. It does not detect what they change in the program's data (ThreatModel).
struct LoadedCode: Sendable {
    let trust: FileTrust
    var hashes: ExecutableHashes
    let system: SystemCode

    /// Opens a file that a process has mapped: all checks then use the open file.
    var open: @Sendable (_ path: String) -> Descriptor? = { Descriptor($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) }

    /// The code that a program may execute.
    struct Allowance: Sendable {
        /// Its executable.
        var executable: FileMark
        /// The parts of that file that hold its code.
        var code: [Range<UInt64>]
        /// The libraries that its manifest names.
        var libraries: Set<SHA256Value>
        /// Whether it may execute code that it generates.
        var isJIT: Bool
    }

    /// A file that others than root can change, as it was when it was hashed.
    struct HashedFile: Sendable {
        let path: String
        let digest: SHA256Value
        let mark: FileMark

        /// Whether the same file is still at its path, with the same contents.
        func isUnchanged(_ hashes: ExecutableHashes) -> Bool {
            guard let file = Descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), let status = file.status,
                FileMark(status).isSameFile(as: mark), Int(status.st_size) == mark.byteCount
            else { return false }
            do throws(IdentityError) {
                return try hashes.digest(of: file.number, path) == (digest, mark)
            } catch { return false }
        }
    }

    /// Checks the executable memory of a process.
    ///
    /// - Parameters:
    ///   - memory: where the code is.
    ///   - allowance: what it may execute in addition to files that only root can change.
    /// - Returns: The libraries that the manifest lists, and that others than root can change.
    /// - Throws: ``IdentityError`` with the first mapping that is neither.
    func check(_ memory: ExecutableMemory, _ allowance: Allowance) throws(IdentityError) -> [HashedFile] {
        if !allowance.isJIT, let name = memory.generated.first {
            throw IdentityError(
                "it has anonymous executable memory\(name.isEmpty ? "" : " (\(name))"), from a just-in-time compiler or a "
                    + "library that was unmapped; if the program generates code, its manifest has to allow that "
                    + "('keychainctl sign --jit')"
            )
        }
        var named: [HashedFile] = []
        var own: [Range<UInt64>] = []
        for mapping in memory.files {
            if allowance.isJIT, mapping.path.hasPrefix("/memfd:") { continue }
            switch try check(mapping, parts: memory.parts[mapping] ?? [], within: allowance) {
            case .executable: own += memory.parts[mapping] ?? []
            case .system: break
            case .named(let library): named.append(library)
            }
        }
        // The kernel's executable link can be changed (prctl(2)).
        guard !allowance.code.isEmpty, allowance.code.allSatisfy({ $0.isCovered(by: own) }) else {
            throw IdentityError(
                "it does not run the code of its executable, or not all of it: another program can appear to run any "
                    + "executable (PR_SET_MM)"
            )
        }
        return named
    }

    /// The kind of a file whose code a program executes.
    private enum File {
        case executable
        /// A library that only root can change.
        case system
        /// One that a manifest names.
        case named(HashedFile)
    }

    private func check(
        _ mapping: MemoryMapping,
        parts: [Range<UInt64>],
        within allowance: Allowance
    ) throws(IdentityError) -> File {
        guard !mapping.path.hasSuffix(" (deleted)"), mapping.path.isAbsolutePath,
            let file = open(mapping.path), let status = file.status,
            status.st_mode & S_IFMT == S_IFREG, try Self.isMapped(mapping, from: file, status: status)
        else {
            throw IdentityError(
                "it runs code of \(mapping.path), which does not exist or was replaced; restart the program"
            )
        }
        if FileMark(status).isSameFile(as: allowance.executable) { return .executable }
        guard let reason = trust.objection(to: file.number) ?? system.objection(to: file, mapping.path, parts) else {
            return .system
        }
        guard !allowance.libraries.isEmpty else { throw Self.foreign(mapping, reason) }
        guard keychain_is_served_by_program(file.number) == 0 else {
            throw IdentityError(
                "it runs code of \(mapping.path), on a FUSE file system, which may execute other code than it returns for "
                    + "reads"
            )
        }
        guard Int(status.st_size) <= ProgramProof.largestByteCount else {
            throw Self.foreign(mapping, "is too large for a library")
        }
        let (digest, mark) = try hashes.digest(of: file.number, mapping.path)
        guard allowance.libraries.contains(digest) else { throw Self.foreign(mapping, reason) }
        return .named(HashedFile(path: mapping.path, digest: digest, mark: mark))
    }

    private static func foreign(_ mapping: MemoryMapping, _ reason: String) -> IdentityError {
        IdentityError(
            "it runs code of \(mapping.path), which \(reason), and which its manifests do not list (LD_PRELOAD, LD_AUDIT?)"
        )
    }

    /// Whether the file at a path is the mapped one.
    ///
    /// On some file systems, among them overlayfs and btrfs, the kernel lists another device and inode than fstat(2)
    /// returns. So the file is mapped here, and its own line compared.
    private static func isMapped(
        _ mapping: MemoryMapping,
        from file: borrowing Descriptor,
        status: stat
    ) throws(IdentityError) -> Bool {
        if mapping.inode == UInt64(status.st_ino), mapping.device == deviceText(status.st_dev) { return true }
        guard let page = mmap(nil, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.number, 0), page != MAP_FAILED else {
            return false
        }
        defer { munmap(page, 1) }
        let start = "\(String(UInt(bitPattern: page), radix: 16))-".utf8
        var own: MemoryMapping?
        let list = Descriptor("/proc/self/maps", O_RDONLY)
        let isRead = list?.readLines(limit: ExecutableMemory.largestByteCount) { line in
            if line.drop(while: { $0 == UInt8(ascii: "0") }).starts(with: start) {
                own = ExecutableMemory(text: Array(line))?.files.first
            }
            return true
        }
        guard isRead == true else { throw .system("reading", on: "/proc/self/maps", failure: errno) }
        return own?.inode == mapping.inode && own?.device == mapping.device
    }

    /// Major and minor number, as the kernel writes them in the list, in the position of makedev(3).
    private static func deviceText(_ device: dev_t) -> String {
        let device = UInt64(device)
        let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        return [major, minor].map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
            .joined(separator: ":")
    }
}

extension Range<UInt64> {
    /// Whether other ranges together have all of it.
    func isCovered(by ranges: [Range<UInt64>]) -> Bool {
        var start = lowerBound
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.contains(start) {
            start = range.upperBound
        }
        return start >= upperBound
    }
}
