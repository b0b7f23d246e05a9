// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock that one process at a time holds over all hosts that see a folder, also where the file system has no locks,
/// or keeps them on each host: a file that appears complete under its name or not at all, and names its holder.
///
/// It is never taken from a process that may be alive. That a holder has ended can be told on its own host alone, in
/// its own PID namespace: there the next process removes what it left. What a host left that has crashed, its user
/// removes; a lease would not do, because a virtual machine that was paused goes on in the midst of a write.
///
/// A child that is forked meanwhile holds nothing of it.
public final class HostLock: Sendable {
    private let folder: PrivateDirectory
    private let token: String
    private let forkGeneration = CSupport.forkGeneration()

    /// The name of the file.
    public static let fileName = "shared.lock"

    /// Tries to take the lock.
    ///
    /// - Throws: ``FileError/heldElsewhere(path:holder:)`` while another process may have it.
    public init(in folder: PrivateDirectory) throws(FileError) {
        self.folder = folder
        token = (0..<2).map { _ in Self.hexadecimal(.random(in: .min ... .max)) }.joined()
        let temporary = "\(Self.fileName).\(token).new"
        try folder.makeFile(temporary, lines: Holder.current(token).lines)
        defer { folder.remove(temporary) }
        do throws(FileError) {
            try folder.publishNew(temporary, as: Self.fileName)
        } catch {
            let holder = Holder(in: folder)
            // The answer of a network file system was lost (link(2), "Bugs"), or its folder could not be synced.
            if holder?.token == token { return }
            guard case .taken = error else { throw error }
            if let holder, holder.hasEnded { Self.removeRemains(of: holder, in: folder) }
            throw .heldElsewhere(path: folder.path(of: Self.fileName), holder: holder?.description ?? "another process")
        }
    }

    /// Lets go of the lock, after everything that it protects was closed.
    ///
    /// One that the user has removed meanwhile, and that another process has taken, stays.
    public func release() {
        guard forkGeneration == CSupport.forkGeneration(), Holder(in: folder)?.token == token else { return }
        folder.remove(Self.fileName)
    }

    /// Removes the lock of a process that has ended; the next try may take it.
    ///
    /// Only whoever has made the file that is named for this holder removes the lock, and only if it is still the
    /// holder's: another process may have removed it, and have taken the lock, since it was read.
    private static func removeRemains(of holder: Holder, in folder: PrivateDirectory) {
        let claim = "\(fileName).\(holder.token).ended"
        guard (try? folder.makeEmptyFile(claim)) != nil else { return }
        if Holder(in: folder)?.token == holder.token { folder.remove(fileName) }
        folder.remove(claim)
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What the file says of the process that has the lock.
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

        /// The holder of the lock of a folder; `nil` where there is none, or where the file is not one of ours.
        init?(in folder: PrivateDirectory) {
            guard let lines = folder.lines(of: HostLock.fileName), lines.count == 6,
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
        /// There is none of its number, or one that was started at another time. One that cannot be looked at may be
        /// alive.
        var hasEnded: Bool {
            guard boot == Self.thisBoot, boot != Self.unknown, processNamespace == Self.thisNamespace,
                !processNamespace.contains(Self.unknown), startTime != 0
            else { return false }
            if kill(process, 0) != 0, errno == ESRCH { return true }
            return ProcessStartTime.of(process).map { $0 != startTime } ?? false
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
