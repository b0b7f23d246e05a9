// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A lock that one process at a time holds over all hosts that see a folder.
///
/// It also works if the file system has no locks, or keeps them on each host: it is a file that appears under its name
/// either complete or not at all, and identifies its holder.
///
/// It is never taken from a process that may be alive. Whether a holder has ended can only be determined on its own
/// host, in its own PID namespace: there, the next process removes the lock. The user removes the lock of a host that
/// has crashed; a lease would not suffice, because a virtual machine that was paused resumes in the middle of a write.
///
/// A child that is forked meanwhile does not hold it.
package final class HostLock: Sendable {
    private let folder: PrivateDirectory
    private let token: String
    private let forkGeneration = CSupport.forkGeneration()

    /// The name of the file.
    package static let fileName = "shared.lock"

    /// Tries to acquire the lock.
    ///
    /// The files of a process that has ended are removed meanwhile, and the next attempt may acquire the lock.
    ///
    /// - Throws: ``FileError/heldElsewhere(path:holder:)`` while another process may have it.
    package convenience init(in folder: PrivateDirectory) throws(FileError) {
        try self.init(in: folder, beforeChange: {})
    }

    // A test ends the process before a change of the folder.
    init(in folder: PrivateDirectory, beforeChange: () -> Void) throws(FileError) {
        self.folder = folder
        if let token = try Self.claim(Self.fileName, in: folder, beforeChange) {
            self.token = token
            return
        }
        let holder = Holder(of: Self.fileName, in: folder)
        if let holder, holder.hasEnded { Self.removeRemains(in: folder, beforeChange) }
        throw .heldElsewhere(path: folder.path(of: Self.fileName), holder: holder?.description ?? "another process")
    }

    /// Releases the lock, after everything that it protects was closed.
    ///
    /// A lock that the user has removed meanwhile, and that another process has taken, stays.
    package func release() {
        guard forkGeneration == CSupport.forkGeneration() else { return }
        Self.remove(Self.fileName, of: token, in: folder)
    }

    /// Creates a lock file, which identifies this process.
    ///
    /// - Returns: The identity of the file; `nil` if the name is taken, or another process came in between.
    private static func claim(
        _ name: String,
        in folder: PrivateDirectory,
        _ beforeChange: () -> Void
    ) throws(FileError) -> String? {
        let token = RandomName.make()
        let temporary = "\(fileName).\(token).new"
        beforeChange()
        try folder.makeEmptyFile(temporary)
        defer { folder.remove(temporary) }
        beforeChange()
        do throws(FileError) {
            try folder.fill(temporary, lines: Holder.current(token).lines)
            beforeChange()
            try folder.publishNew(temporary, as: name)
        } catch {
            // The answer of a network file system was lost (link(2), "Bugs"), or its folder could not be synced.
            if Holder(of: name, in: folder)?.token == token { return token }
            // Or another process has removed it while it was incomplete, as one that was left.
            var isLate = !folder.isTaken(temporary) && access(folder.path, F_OK) == 0
            if case .taken = error { isLate = true }
            guard isLate else { throw error }
            beforeChange()
            return nil
        }
        beforeChange()
        return token
    }

    /// Removes the files of processes that have ended: the lock, and the files for acquiring or removing it.
    ///
    /// A process removes a file only with a claim to it, a file that has a derived name and is created like the lock,
    /// and only if it is still the same file: another process may have removed it, and acquired the lock, since it was
    /// read. The claim of a process that was killed in between is removed in the same way, so that a process that ends
    /// at any step locks out no other.
    ///
    /// An incomplete file names no process, and is nobody's claim yet: it is removed, and a process that was about to
    /// complete it tries again.
    private static func removeRemains(in folder: PrivateDirectory, _ beforeChange: () -> Void) {
        for name in [fileName] + folder.names(beginningWith: fileName + ".") {
            guard let holder = Holder(of: name, in: folder) else {
                if isTemporary(name) { folder.remove(name) }
                continue
            }
            guard holder.hasEnded else { continue }
            let claim = "\(fileName).\(holder.token).ended"
            guard let token = (try? Self.claim(claim, in: folder, beforeChange)) ?? nil else { continue }
            remove(name, of: holder.token, in: folder)
            beforeChange()
            remove(claim, of: token, in: folder)
            beforeChange()
        }
    }

    /// Whether a file has the name of one that is not complete; earlier versions made it under another one before.
    private static func isTemporary(_ name: String) -> Bool {
        let ends = [
            PrivateDirectory.temporarySuffix, PrivateDirectory.temporarySuffix + PrivateDirectory.temporarySuffix,
        ]
        return ends.contains { end in
            name.hasSuffix(end)
                && RandomName.isOne(name.utf8.dropFirst(fileName.utf8.count + 1).dropLast(end.utf8.count))
        }
    }

    private static func remove(_ name: String, of token: String, in folder: PrivateDirectory) {
        if Holder(of: name, in: folder)?.token == token { folder.remove(name) }
    }

    /// The information in a file about the process that created it.
    private struct Holder: CustomStringConvertible {
        let token: String
        private let boot: String
        private let processNamespace: String
        private let process: Int32
        private let startTime: UInt64
        private let host: String

        static func current(_ token: String) -> Holder {
            Holder(
                token: token,
                boot: thisBoot,
                processNamespace: thisNamespace,
                process: getpid(),
                startTime: ProcessStartTime.of(getpid()) ?? 0,
                host: hostName
            )
        }

        /// The creator of a file; `nil` if there is none, or if it is not one of ours.
        init?(of name: String, in folder: PrivateDirectory) {
            guard let lines = folder.lines(of: name), lines.count == 6,
                lines[0].count == 32, lines[0].allSatisfy(\.isHexDigit),
                let process = Int32(lines[3]), let startTime = UInt64(lines[4])
            else { return nil }
            (token, boot, processNamespace) = (lines[0], lines[1], lines[2])
            (self.process, self.startTime, host) = (process, startTime, lines[5])
        }

        private init(
            token: String,
            boot: String,
            processNamespace: String,
            process: Int32,
            startTime: UInt64,
            host: String
        ) {
            (self.token, self.boot, self.processNamespace) = (token, boot, processNamespace)
            (self.process, self.startTime, self.host) = (process, startTime, host)
        }

        var lines: [String] { [token, boot, processNamespace, "\(process)", "\(startTime)", host] }

        /// Whether the process certainly runs no more.
        ///
        /// One that cannot be looked at may be alive.
        var hasEnded: Bool {
            guard boot == Self.thisBoot, boot != Self.unknown, processNamespace == Self.thisNamespace,
                !processNamespace.contains(Self.unknown), startTime != 0
            else { return false }
            return ProcessStartTime.hasEnded(process, startedAt: startTime)
        }

        var description: String { "process \(process) on \(host)" }

        private static let unknown = "-"

        private static let thisBoot: String = {
            let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return unknown }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 36)
            return read(descriptor, &bytes, bytes.count) == 36 ? String(decoding: bytes, as: UTF8.self) : unknown
        }()

        /// Of the numbers of processes, and of the times at which they were started.
        private static var thisNamespace: String {
            ["pid", "time"].map { name in text(capacity: 64) { readlink("/proc/self/ns/\(name)", $0, $1) } }
                .joined(separator: " ")
        }

        private static var hostName: String {
            text(capacity: 256) { gethostname($0, $1) == 0 ? strlen($0) : -1 }
        }

        private static func text(capacity: Int, _ body: (UnsafeMutablePointer<CChar>, Int) -> Int) -> String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
                guard let start = buffer.baseAddress else { return unknown }
                let count = body(start, capacity - 1)
                guard count > 0 else { return unknown }
                return String(
                    decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
                    as: UTF8.self
                )
                .replacing("\n", with: " ")
            }
        }
    }
}
