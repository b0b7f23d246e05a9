// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainIdentity

/// How much work the check of a process takes at most, and that it ends with the process.
@Suite(.timeLimit(.minutes(5)))
struct CheckEffortTests {
    /// A file that others than root can change.
    private struct File: ~Copyable {
        let folder: TemporaryFolder
        let path: String
        let number: Int32

        init(byteCount: Int) throws {
            folder = try TemporaryFolder()
            path = folder.path(of: "file")
            number = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(number >= 0 && ftruncate(number, off_t(byteCount)) == 0)
        }

        deinit { close(number) }

        var digest: SHA256Value? { SHA256Value(ofFile: number, byteCount: Int(Int32.max)) }
    }

    @Test("so many bytes of files that others than root can change are hashed for one check, and not more")
    func hashedBytes() throws {
        let file = try File(byteCount: 1 << 16)
        var limits = CheckEffort.Limits()
        limits.hashedBytes = 2 << 16
        let hashes = ExecutableHashes().within(CheckEffort(limits, until: nil) { false })
        for _ in 0..<2 { #expect(try hashes.digest(of: file.number, file.path).0 == file.digest) }
        let refusal = #expect(throws: IdentityError.self) { try hashes.digest(of: file.number, file.path) }
        #expect(refusal?.description.contains("too much to be checked") == true, "\(String(describing: refusal))")
        #expect(try ExecutableHashes().digest(of: file.number, file.path).0 == file.digest)
    }

    @Test("hashing ends when the process has exited, in the middle of a file")
    func exit() throws {
        let file = try File(byteCount: 64 << 20)
        let asked = Mutex(0)
        let effort = CheckEffort(.init(), until: nil) {
            asked.withLock { asked in
                asked += 1
                return asked > 5
            }
        }
        let refusal = #expect(throws: IdentityError.self) {
            try ExecutableHashes().within(effort).digest(of: file.number, file.path)
        }
        #expect(refusal?.description.contains("exited") == true, "\(String(describing: refusal))")
        #expect(asked.withLock(\.self) < 10)
    }

    @Test("a thread that waits for the hash of a process that exits hashes the file itself")
    func othersGoOn() throws {
        let file = try File(byteCount: 4 << 20)
        let (number, path) = (file.number, file.path)
        let expected = file.digest
        for _ in 0..<20 {
            let hashes = ExecutableHashes()
            let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let asked = DispatchSemaphore(value: 0)
            let calls = Mutex((first: 0, exiting: 0))
            let first = CheckEffort(.init(), until: nil) {
                let count = calls.withLock { calls in
                    calls.first += 1
                    return calls.first
                }
                if count == 2 {
                    isInside.signal()
                    mayGoOn.wait()
                }
                return false
            }
            // It exits once it hashes the file for all that wait.
            let exiting = CheckEffort(.init(), until: nil) {
                asked.signal()
                return calls.withLock { calls in
                    calls.exiting += 1
                    return calls.exiting > 1
                }
            }
            let results = Mutex<[SHA256Value?]>([])
            let ended = DispatchGroup()
            let hash = { @Sendable (effort: CheckEffort) in
                ended.enter()
                Thread.detachNewThread {
                    let digest = try? hashes.within(effort).digest(of: number, path).0
                    results.withLock { $0.append(digest) }
                    ended.leave()
                }
            }
            hash(first)
            #expect(isInside.wait(timeout: .now() + 60) == .success)
            hash(exiting)
            asked.wait()
            for _ in 0..<3 {
                hash(
                    CheckEffort(.init(), until: nil) {
                        asked.signal()
                        return false
                    }
                )
                asked.wait()
            }
            mayGoOn.signal()
            ended.wait()
            let found = results.withLock(\.self)
            #expect(found.count { $0 == nil } <= 1)
            #expect(found.count { $0 == expected } >= 4)
        }
    }

    @Test("the memory of a process is examined no longer than somebody waits for it")
    func deadline() throws {
        let (bench, tool) = try Workbench.withSignedTool()
        let (program, _) = try bench.start(tool)
        let peer = try PeerProcess(identifier: program.identifier)
        let refusal = #expect(throws: IdentityError.self) {
            try peer.executableMemory(peer.effort(.init(), until: Deadline(milliseconds: 0)))
        }
        #expect(refusal?.description.contains("in time") == true, "\(String(describing: refusal))")
        _ = try peer.executableMemory(peer.effort(.init(), until: Deadline(milliseconds: 300_000)))
    }

    @Test("a program that is killed is known to have exited, also while its parent has not waited for it")
    func killed() throws {
        let (bench, tool) = try Workbench.withSignedTool()
        let (program, _) = try bench.start(tool)
        let peer = try PeerProcess(identifier: program.identifier)
        #expect(!peer.hasExited)
        kill(program.identifier, SIGKILL)
        #expect(eventually("it has exited") { peer.hasExited })
        withExtendedLifetime(bench) {}
    }

    @Test("a program with more code than is examined is anonymous, and the reason says so")
    func program() throws {
        let (bench, tool) = try Workbench.withSignedTool()
        let (program, connection) = try bench.start(tool)
        #expect(try bench.identify(connection).identity.kind == .signed(bench.team))
        var options = bench.options
        options.limits.hashedBytes = 1
        expectAnonymous(try bench.identify(connection, by: ProgramExaminer(options)).identity, "too much to be checked")
        options = bench.options
        options.limits.codeBytes = 4096
        expectAnonymous(try bench.identify(connection, by: ProgramExaminer(options)).identity, "too many to be checked")
        withExtendedLifetime(program) {}
    }

    @Test("a program that cannot be examined in time is refused, rather than taken for an anonymous one")
    func refused() throws {
        let (bench, tool) = try Workbench.withSignedTool()
        let (program, connection) = try bench.start(tool)
        var options = bench.options
        options.identificationMilliseconds = 0
        let service = try IdentityService(options, folder: nil)
        let refusal = #expect(throws: KeychainError.self) {
            try service.identify(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        }
        #expect(refusal?.status == .notAvailable)
        withExtendedLifetime(program) {}
    }
}
