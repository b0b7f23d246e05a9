// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainStore
import KeychainTestSupport
import Testing

/// A process that forks with a keychain open.
@Suite(.timeLimit(.minutes(30)))
struct ForkTests {
    @Test("parent and child both go on, and a child that outlives its parent loses nothing to others")
    func childOutlivesParent() throws {
        let (folder, process) = try StormFolder.started("add before")
        let child = try Self.fork(process, adds: 5)
        #expect(try process.wait() == 0)

        #expect(try process.ask("add child-inherited").isDone)
        try Self.expectLocks(of: child, on: folder)
        #expect(try process.ask("new").operation == "renewed")
        #expect(try process.ask("add child-new").isDone)
        try Self.expectLocks(of: child, on: folder)

        let third = try folder.start()
        #expect(try third.ask("add third").isDone)
        try third.kill9()
        #expect(try process.ask("add child-later").isDone)
        #expect(try process.ask("count").description == "count 10 0")
        let added = ["before", "child-inherited", "child-new", "third", "child-later"]
        expectKept(added + (0..<5).map { "parent-\($0)" }, in: try folder.items())
    }

    @Test("a child that lets go of the inherited keychain unused works with one of its own")
    func childReplacesInherited() throws {
        let (folder, process) = try StormFolder.started("add before")
        let child = try Self.fork(process)
        #expect(try process.ask("replace").operation == "renewed")
        #expect(try process.ask("add after").isDone)
        try Self.expectLocks(of: child, on: folder)
        expectKept(["before", "after"], in: try folder.items())
    }

    @Test("a grandchild works, too")
    func grandchild() throws {
        let (folder, process) = try StormFolder.started("add before")
        _ = try Self.fork(process)
        #expect(try process.ask("add child").isDone)
        let grandchild = try Self.fork(process)
        #expect(try process.ask("add grandchild").isDone)
        try Self.expectLocks(of: grandchild, on: folder)
        expectKept(["before", "child", "grandchild"], in: try folder.items())
    }

    @Test("a log that another program cleared away before a child's first call is not written to")
    func logClearedBeforeFirstCall() throws {
        let (folder, process) = try StormFolder.started("add before")
        _ = try Self.fork(process)
        #expect(try process.wait() == 0)
        // Its connection is the last one, so SQLite removes the log and the log's index when it closes.
        let foreign = try folder.start()
        #expect(try foreign.ask("hold").isHeld)
        #expect(try foreign.ask("release").operation == "released")
        let files = try #require(try folder.fileNames)
        #expect(!files.contains("\(Store.fileName)-wal"))

        let other = try folder.start()
        var added = ["before"]
        for round in 0..<3 {
            for (name, process) in [("child", process), ("other", other)] {
                #expect(try process.ask("add \(name)-\(round)").isDone)
                added.append("\(name)-\(round)")
            }
        }
        expectKept(added, in: try folder.items())
    }

    @Test("an index of the log that another process was about to create again does not crash a child")
    func indexCutBeforeFirstCall() throws {
        let (folder, process) = try StormFolder.started("add before")
        _ = try Self.fork(process)
        #expect(try process.wait() == 0)
        // How a process leaves the index that is killed right after it began (os_unix.c, unixLockSharedMemory).
        #expect(truncate("\(folder.path)/\(Store.fileName)-shm", 3) == 0)
        #expect(try process.ask("add after").isDone)
        expectKept(["before", "after"], in: try folder.items())
    }

    @Test("a child that opens many keychains keeps no descriptors")
    func descriptors() throws {
        let process = try StormFolder.started("add before").process
        _ = try Self.fork(process)
        let before = try process.ask("descriptors")
        try process.send("churn c 40")
        for _ in 0..<40 {
            let step = try #require(try process.nextStep())
            #expect(step.isDone, "\(step)")
        }
        #expect(try process.ask("descriptors") == before)
    }

    @Test(
        "a process can fork at any time while its threads work, and every child works",
        arguments: [false, true]
    )
    func forkWhileBusy(_ together: Bool) throws {
        let (folder, process) = try StormFolder.started("add before", likeDaemon: together)
        try process.send("fork-busy x 100")
        let steps = try process.steps(upTo: "forked")
        // On a machine where a call takes longer than a fork waits, the child has no keychain, and says so.
        let abandoned = steps.filter { $0.subject.hasPrefix("child-") && $0.description.contains("was forked while") }
        #expect(abandoned.count < 100, "\(abandoned.prefix(5))")
        let added = steps.filter { !abandoned.contains($0) }
        let failures = added.filter { $0.operation != "add" || !$0.isDone }
        #expect(failures.isEmpty, "\(failures.prefix(5))")
        let children = Set(steps.map(\.subject).filter { $0.hasPrefix("child-") })
        #expect(children.count == 200)
        expectKept(["before"] + added.map(\.subject), in: try folder.items())
    }

    @Test("a child has nothing of what its parent unlocked, and unlocks for itself")
    func unlockedParent() throws {
        let process = try StormFolder.started().process
        let passcode = Array("a passcode".utf8)
        #expect(try process.ask("passcode", passcode).isDone)
        #expect(try process.ask("take", passcode).isDone)
        for level in ["ak", "ck", "dk"] {
            #expect(try process.ask("keep \(level)").isDone)
            #expect(try process.ask("open \(level)").isDone)
        }
        _ = try Self.fork(process)
        for (level, isOpen) in [("ak", false), ("ck", false), ("dk", true)] {
            #expect(try process.ask("open \(level)").isDone == isOpen, "\(level)")
        }
        #expect(try process.ask("unlock", passcode).isDone)
        for level in ["ak", "ck", "dk"] { #expect(try process.ask("open \(level)").isDone, "\(level)") }
    }

    @Test("a fork does not wait for threads that wait for another process, and its child works")
    func forkWhileWaiting() throws {
        let (folder, process) = try StormFolder.started("add before")
        let holder = try folder.start()
        #expect(try holder.ask("hold").isHeld)
        try process.send("fork-waiting x 40")
        var reads: [Step] = []
        var forked: Step?
        while forked == nil, let step = try process.nextStep() {
            if step.operation == "forked" { forked = step } else { reads.append(step) }
        }
        // The threads wait for two minutes. A machine that has other things to do keeps a thread in the midst of a try.
        #expect(forked?.status.map { $0 < 10_000 } ?? false, "\(forked?.description ?? "")")
        #expect(reads.count == 40)
        #expect(reads.count(where: \.isDone) > 20, "\(reads)")
        #expect(reads.allSatisfy { $0.isDone || $0.description.contains("was forked while") }, "\(reads)")
        #expect(try holder.ask("release").operation == "released")
        try process.send("stop")
        expectDone(try process.steps(upTo: "stopped"))
    }

    @Test("a fork in the midst of a call goes on soon; its child and theirs say why they have no keychain")
    func forkInside() throws {
        let process = try StormFolder.started("add before").process
        try process.send("fork-inside")
        let steps = try process.steps(upTo: "done")
        let fork = try #require(steps.first { $0.operation == "forked" })
        // The thread stays inside until the child has ended: without a bound the fork would wait for ever.
        #expect(fork.status.map { $0 < 60_000 } ?? false, "\(fork)")
        let refused = steps.filter { $0.status == Int(Status.notAvailable.rawValue) }
        #expect(refused.count == 6 && refused.allSatisfy { $0.description.contains("was forked while") }, "\(steps)")
        #expect(steps.last?.operation == "read" && steps.last?.isDone == true, "the parent goes on")
    }

    @Test(
        "a child that was forked during an unlock holds no lock of its parent's",
        arguments: ["goes on", "stays and is killed"]
    )
    func forkDuringUnlock(parent: String) throws {
        let (folder, process) = try StormFolder.started()
        let passcode = Array("a passcode".utf8)
        #expect(try process.ask("passcode", passcode).isDone)
        #expect(try process.ask("fork-unlock \(parent.prefix(5))").operation == "renewed")
        let forked = try process.ask("unlock", passcode)
        let child = try #require(pid_t(forked.subject))
        defer { kill(child, SIGKILL) }
        let clock = ContinuousClock()
        let start = clock.now
        if parent == "goes on" {
            #expect(try process.nextStep()?.isDone == true)
        } else {
            #expect(kill(process.identifier, SIGKILL) == 0)
        }
        #expect(try folder.start().ask("unlock", passcode).isDone)
        // A lock that is held makes the unlock fail after half a minute.
        #expect(clock.now - start < .seconds(60))
        #expect(kill(child, 0) == 0, "the child lives on")
    }

    /// Forks; the process that answers from then on is the child, whose number this is.
    private static func fork(_ process: StormProcess, adds: Int = 0) throws -> pid_t {
        try process.send("fork x \(adds)")
        var child: pid_t?
        var parentEnded = false
        while child == nil || !parentEnded {
            let step = try #require(try process.nextStep())
            switch step.operation {
            case "child": child = pid_t(step.subject)
            case "parent": parentEnded = true
            default: #expect(step.isDone, "\(step)")
            }
        }
        return try #require(child)
    }

    /// The kernel itself must say that a process holds the shared lock on the file (sqlite.org/fileformat2.html,
    /// "lock-byte page"), and the one that keeps others from clearing the index of the log (os_unix.c, UNIX_SHM_DMS).
    private static func expectLocks(
        of process: pid_t,
        on folder: StormFolder,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (suffix, range) in [("", UInt64(1_073_741_826)...1_073_742_335), ("-shm", 128...128)] {
            let held = try RecordLock.held(by: process, on: "\(folder.path)/\(Store.fileName)\(suffix)")
            #expect(
                held.contains { $0.isShared && $0.range == range },
                "\(Store.fileName)\(suffix): \(held)",
                sourceLocation: sourceLocation
            )
        }
    }
}

extension Step {
    fileprivate var isHeld: Bool { description == "held 0" }
}
