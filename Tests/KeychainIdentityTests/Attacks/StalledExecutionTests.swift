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

/// Processes that execute a program for as long as a file system likes: it does not answer the close of a file
/// (`O_CLOEXEC`), and the kernel compares the memory of such a process with no other one's until then.
///
/// bindfs(1) and `/dev/fuse` have to be there: `Scripts/setup tests` installs the first.
@Suite(.serialized)
struct StalledExecutionTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    @Test("a process that executes a program for ever keeps no other one from being identified and answered")
    func otherProcess() throws {
        let (program, connection) = try bench.start(tool)
        let stalled = try StalledPrograms(tool, bench.folder, count: 40)
        let outcome = Mutex<ClientIdentity.Kind?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let peer = try PeerProcess(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        let examiner = ProgramExaminer(bench.options)
        _ = HostThread.start(.blocked) {
            var record = IdentityRecord()
            let peer = examiner.identify(peer, &record)
            // From a second later on, its memory is looked at again.
            sleep(1)
            let isAnswered = (try? peer.confirm()) != nil
            if isAnswered { outcome.withLock { $0 = peer.identity.kind } }
            isOver.signal()
        }
        let isIdentified = eventually("it is identified") { outcome.withLock(\.self) != nil }
        #expect(isIdentified && outcome.withLock(\.self) == .signed(bench.team))
        stalled.release()
        isOver.wait()
        withExtendedLifetime(program) {}
    }

    @Test("one whose memory the kernel does not compare shares it if it has as much code as that of the process")
    func undecided() throws {
        let programs = [[tool, "-"]] + (0..<7).map { _ in ["/bin/cat"] }
        let running = try programs.map { try PeerProgram($0, isReady: $0.count > 1) }
        let numbers = running.map(\.identifier)
        let counter = Mutex(0)
        let comparison = MemoryComparison(of: numbers[0]) { (threads) throws(IdentityError) in
            counter.withLock { $0 += 1 }
            return [true]
        }
        #expect(try comparison.sharing(among: Array(numbers.dropFirst())) == [])
        #expect(
            counter.withLock(\.self) == MemoryComparison.maximumStalledThreads,
            "many are not asked about one by one"
        )
        #expect(try comparison.sharing(among: [numbers[1], numbers[0]]) == [numbers[0]])
        #expect(try comparison.sharing(among: numbers + numbers) == [numbers[0], numbers[0]])
        // None that has ended, or has no memory of its own, as a thread of the kernel.
        #expect(try comparison.sharing(among: [2, .max]) == [])
        withExtendedLifetime(running) {}
    }

    @Test("a process that is itself executing a program is not identified")
    func itself() throws {
        let comparison = MemoryComparison(of: getpid()) { (_) throws(IdentityError) in [] }
        #expect(throws: IdentityError.self) { try comparison.sharing(among: [1]) }
        let stalled = try StalledPrograms(tool, bench.folder, count: 1)
        let ofStalled = MemoryComparison(of: stalled.identifiers[0])
        #expect(throws: IdentityError.self) { try ofStalled.sharing(among: [getpid()]) }
        stalled.release()
    }
}

/// Processes that are executing a program, until they are released.
private final class StalledPrograms {
    private let mount: FUSEMount
    private let programs: [PeerProgram]

    init(_ tool: String, _ folder: TemporaryFolder, count: Int) throws {
        let disk = folder.path(of: "disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: "\(disk)/file"))
        mount = try FUSEMount(of: disk, at: folder.path(of: "mount"))
        programs = try (0..<count).map { _ in try PeerProgram([tool, "-"]) }
        for program in programs { #expect(try program.ask("open \(mount.path)/file") == "opened") }
        #expect(mount.pause())
        for program in programs { try program.tell("exec \(tool)") }
        for program in programs {
            #expect(
                eventually("its memory is a new one, without a program yet") {
                    let status = FileManager.default.contents(atPath: "/proc/\(program.identifier)/status") ?? Data()
                    return String(decoding: status, as: UTF8.self).contains("VmExe:\t       0 kB")
                }
            )
        }
    }

    var identifiers: [Int32] { programs.map(\.identifier) }

    // A process that waits for an answer cannot be killed.
    deinit { release() }

    func release() { mount.resume() }
}
