// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainHost

/// The lock that all hosts see: never taken from a process that may be alive, and not lost to one that has ended.
struct HostLockTests {
    private let folder: TemporaryFolder
    private let directory: PrivateDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = try PrivateDirectory(KeychainLocation(path: folder.path))
    }

    private func holder() throws -> [String] {
        try String(contentsOfFile: folder.path(of: HostLock.fileName), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    private func replaceHolder(_ lines: [String]) throws {
        directory.remove(HostLock.fileName)
        try directory.makeFile(HostLock.fileName, lines: lines)
    }

    @Test("one holder at a time, which the refusal of others names")
    func alone() throws {
        let lock = try HostLock(in: directory)
        let failure = #expect(throws: FileError.self) { try HostLock(in: directory) }
        #expect(failure?.isBusy == true)
        #expect(failure.map { "\($0)" }?.contains("process \(getpid()) on ") == true)
        lock.release()
        try HostLock(in: directory).release()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("the lock of a process that has ended is taken; of one that may be alive, never", arguments: 0..<6)
    func remains(_ case: Int) throws {
        let lock = try HostLock(in: directory)
        var lines = try holder()
        var isTaken = false
        switch `case` {
        // A process of this number that was started at another time.
        case 0:
            lines[4] = "1"
            isTaken = true
        // No process has this number.
        case 1:
            lines[3] = "\(Int32.max)"
            isTaken = true
        // Another host, or another boot of this one.
        case 2: (lines[1], lines[3]) = ("0", "\(Int32.max)")
        // A container on this host, whose processes have numbers of their own.
        case 3: (lines[2], lines[3]) = ("pid:[1]", "\(Int32.max)")
        // Not one of ours, or cut off.
        case 4: lines = []
        default: lines = Array(lines.prefix(4))
        }
        try replaceHolder(lines)
        // The first try clears away, the second one takes.
        #expect(throws: FileError.self) { try HostLock(in: directory) }
        if isTaken {
            try HostLock(in: directory).release()
        } else {
            #expect(throws: FileError.self) { try HostLock(in: directory) }
        }
        _ = lock
    }

    @Test("of many processes that find the remains of one, no two take the lock", arguments: 0..<20)
    func race(_ round: Int) async throws {
        let lock = try HostLock(in: directory)
        var lines = try holder()
        lines[4] = "1"
        try replaceHolder(lines)
        _ = lock
        let directory = directory
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var count = 0
                    for _ in 0..<20 where (try? HostLock(in: directory)) != nil { count += 1 }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        // Nobody lets go of it.
        #expect(taken == 1)
    }

    /// Leaves the lock as a process does that has ended.
    private func leaveLock() throws {
        let lock = try HostLock(in: directory)
        var lines = try holder()
        lines[4] = "1"
        try replaceHolder(lines)
        withExtendedLifetime(lock) {}
    }

    /// Tries to take the lock, in a process that is killed before its change of the folder of this number.
    ///
    /// - Returns: Whether it made as many.
    private func isKilled(before change: Int) async throws -> Bool {
        let path = folder.path
        let result = await #expect(processExitsWith: .failure, observing: [\.exitStatus]) {
            [path = path as String, change = change as Int] in
            let directory = try PrivateDirectory(KeychainLocation(path: path))
            var count = 0
            _ = try? HostLock(in: directory) {
                count += 1
                if count == change { kill(getpid(), SIGKILL) }
            }
            _exit(1)
        }
        return result?.exitStatus == .signal(SIGKILL)
    }

    /// How many tries it takes to get the lock, which is let go of again; `nil` if ten are too few.
    private func triesUntilTaken() -> Int? {
        (1...10).first { _ in
            guard let lock = try? HostLock(in: directory) else { return false }
            lock.release()
            return true
        }
    }

    @Test("a process that is killed at any step of taking the lock keeps nobody out")
    func killedWhileTaking() async throws {
        var change = 1
        while try await isKilled(before: change) {
            #expect(triesUntilTaken() != nil, "\(change)")
            change += 1
        }
        #expect(change > 3)
        #expect(triesUntilTaken() != nil)
    }

    @Test("processes that are killed at any step of removing what one left, one after the other, keep nobody out")
    func killedWhileRemoving() async throws {
        var firstChange = 1
        while true {
            var secondChange = 1
            var isFirstKilled = false
            while true {
                try leaveLock()
                isFirstKilled = try await isKilled(before: firstChange)
                let isSecondKilled = try await isKilled(before: secondChange)
                #expect(triesUntilTaken() != nil, "\(firstChange), \(secondChange)")
                guard isFirstKilled, isSecondKilled else { break }
                secondChange += 1
            }
            guard isFirstKilled else { break }
            #expect(secondChange > 3)
            firstChange += 1
        }
        #expect(firstChange > 6)
        // What they left goes with the next lock that one leaves.
        try leaveLock()
        #expect(triesUntilTaken() != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.isEmpty, "\(names)")
    }

    @Test("incomplete files that processes left go with the next lock that one leaves, those of earlier versions too")
    func incompleteFiles() throws {
        let number = String(repeating: "0f", count: 16)
        let names = ["\(HostLock.fileName).\(number).new", "\(HostLock.fileName).\(number).new.new"]
        for name in names { try directory.makeEmptyFile(name) }
        try directory.fill(names[1], lines: [number])
        let others = ["\(HostLock.fileName).\(number)", "\(HostLock.fileName).mine.new"]
        for name in others { try directory.makeEmptyFile(name) }
        try leaveLock()
        #expect(triesUntilTaken() != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == others)
    }

    @Test("a process whose incomplete file another one removes is told to try again, and then takes the lock")
    func removedIncompleteFile() throws {
        var failures = 0
        for change in 1... {
            var count = 0
            do {
                let lock = try HostLock(in: directory) {
                    count += 1
                    guard count == change else { return }
                    for name in directory.names(beginningWith: HostLock.fileName + ".") { directory.remove(name) }
                }
                lock.release()
            } catch {
                #expect(error.isBusy, "\(change): \(error)")
                failures += 1
            }
            try HostLock(in: directory).release()
            if count < change { break }
        }
        #expect(failures == 2)
    }

    @Test("while one process stands still at any step, others and it never have the lock at the same time")
    func standsStill() throws {
        for change in 1... {
            try leaveLock()
            var locks: [HostLock] = []
            var count = 0
            func tryTwice() { for _ in 0..<2 { if let lock = try? HostLock(in: directory) { locks.append(lock) } } }
            let lock = try? HostLock(in: directory) {
                count += 1
                if count == change { tryTwice() }
            }
            if let lock { locks.append(lock) }
            #expect(locks.count <= 1, "\(change)")
            tryTwice()
            #expect(locks.count == 1, "\(change)")
            for lock in locks { lock.release() }
            #expect(triesUntilTaken() == 1)
            if count < change {
                #expect(change > 6)
                break
            }
        }
    }

    @Test("a process that was killed and that nobody has waited for yet has ended")
    func notWaitedFor() throws {
        var process: pid_t = 0
        let arguments = [strdup("sleep"), strdup("1000"), nil]
        defer { for argument in arguments { free(argument) } }
        try #require(posix_spawn(&process, "/bin/sleep", nil, nil, arguments, nil) == 0)
        defer { waitpid(process, nil, 0) }
        let startTime = try #require(ProcessStartTime.of(process))
        let lock = try HostLock(in: directory)
        var lines = try holder()
        (lines[3], lines[4]) = ("\(process)", "\(startTime)")
        try replaceHolder(lines)
        withExtendedLifetime(lock) {}
        #expect(triesUntilTaken() == nil)
        kill(process, SIGKILL)
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        #expect(triesUntilTaken() != nil)
    }

    @Test("what other hosts may share is told by its magic number; a FUSE file system on a device is local")
    func kinds() {
        #expect(SharedFileSystem.name(magic: 0x6969, device: 0x35) == "NFS")
        #expect(SharedFileSystem.name(magic: 0x0102_1997, device: 0x35) == "9p")
        #expect(SharedFileSystem.name(magic: 0xFF53_4D42, device: 0x35) == "CIFS")
        #expect(SharedFileSystem.name(magic: 0x6573_5546, device: 0x35) == "FUSE")
        #expect(SharedFileSystem.name(magic: 0x6573_5546, device: 0x0801) == nil)
        // ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, eCryptfs
        for magic: UInt32 in [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0x2FC1_2FC1, 0xF15F] {
            #expect(SharedFileSystem.name(magic: magic, device: 0x0801) == nil)
        }
    }
}
