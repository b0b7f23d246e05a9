// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import KeychainTestSupport
import ServerTestSupport
import Testing

/// Eight programs that write through a daemon which is killed again and again, and which they start again: nothing
/// acknowledged is lost, and nothing is carried out twice.
///
/// `STORM_ROUNDS` sets how often each is killed, for `Scripts/storm`.
@Suite(.timeLimit(.minutes(60)))
struct DaemonStormTests {
    private static let rounds = getenv("STORM_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 3
    private static let programs = 8

    /// `errSecDuplicateItem`, with which a second add of the same item is refused.
    private static let duplicate = -25299

    /// `errSecNotAvailable`.
    private static let notAvailable = -25291

    @Test("every add that was acknowledged outlives a kill of the daemon, and none is made twice")
    func addsOutliveKills() throws {
        let folder = try DaemonFolder()
        var kills = 0
        // A program starts the next daemon itself.
        let steps = try Self.steps(
            of: Self.start(at: folder.location.path),
            kill: { if folder.end(by: SIGKILL) { kills += 1 } }
        )
        #expect(kills == Self.rounds)
        #expect(folder.end(by: SIGTERM), "it ends when it is asked to")
        try folder.handOverToPrograms()
        expectKept(steps.filter(\.isDone).map(\.subject), in: try StormFolder.items(at: folder.location.path))
    }

    @Test(
        "the same of the system service, for a user of its own",
        .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users")
    )
    func addsOutliveKillsOfService() throws {
        let service = try SystemServiceFolder()
        let user: uid_t = 1
        _ = try service.enabledShell(of: user)
        let path = service.path(of: "home-\(user)/swift-keychain")
        let prefix = SystemServiceFolder.asUser(user)
        // A program waits five seconds for the next service, which a busy machine may take longer to start.
        let steps = try Self.steps(
            of: Self.start(at: path, prefix: prefix),
            mayFail: { $0.status == Self.notAvailable },
            kill: { try service.restart() }
        )
        let reader = try Self.program(at: path, prefix: prefix)
        let added = steps.filter(\.isDone).map(\.subject)
        let lost = try added.filter { try !reader.ask("read \($0)").isDone }
        #expect(lost.isEmpty, "lost: \(lost.prefix(5))")
        let count = try Int(reader.ask("count").subject) ?? 0
        // What is not known may have been added, and what a program was about when it was killed.
        #expect((added.count...steps.count + Self.programs).contains(count))
    }

    /// The steps of programs that add while the daemon is killed in each round; what is wrong with them is an issue.
    private static func steps(
        of programs: [StormProcess],
        mayFail: (Step) -> Bool = { _ in false },
        kill: () throws -> Void
    ) throws -> [Step] {
        var steps: [Step] = []
        for _ in 0..<rounds {
            // Every program has got through to the daemon that is killed next.
            for program in programs { steps += try Self.steps(of: program, untilDone: 2) }
            try kill()
        }
        for program in programs { steps += try Self.steps(of: program, untilDone: 2) }
        for program in programs {
            try program.kill9()
            steps += try program.remainingSteps()
        }
        #expect(!steps.contains { $0.status == duplicate }, "an add was made twice")
        let failed = steps.filter { !$0.isDone && !$0.description.contains("is not known") && !mayFail($0) }
        #expect(failed.isEmpty, "\(failed.prefix(5))")
        return steps
    }

    @Test("a daemon that is asked to end answers what is under way, and the next one goes on: no program notices")
    func gracefulEnds() throws {
        let folder = try DaemonFolder()
        let programs = try Self.start(at: folder.location.path)
        var steps: [Step] = []
        for _ in 0..<Self.rounds {
            // More than two, so that no command meets more ends than it waits for.
            for program in programs { steps += try Self.steps(of: program, untilDone: 20) }
            #expect(Self.endNext(in: folder))
        }
        for program in programs {
            steps += try Self.steps(of: program, untilDone: 2)
            try program.kill9()
            steps += try program.remainingSteps()
        }
        expectDone(steps)
        folder.end(by: SIGTERM)
        try folder.handOverToPrograms()
        expectKept(steps.map(\.subject), in: try StormFolder.items(at: folder.location.path))
    }

    @Test("programs that write while the store is handed over and taken back lose nothing")
    func moves() throws {
        let folder = try DaemonFolder(isEnabled: false)
        let programs = try Self.start(at: folder.location.path)
        var steps: [Step] = []
        for _ in 0..<Self.rounds {
            for program in programs { steps += try Self.steps(of: program, untilDone: 2) }
            try folder.handOverToDaemon()
            for program in programs { steps += try Self.steps(of: program, untilDone: 2) }
            try folder.whileStopped { try folder.handOverToPrograms() }
        }
        for program in programs {
            steps += try Self.steps(of: program, untilDone: 2)
            try program.kill9()
            steps += try program.remainingSteps()
        }
        expectDone(steps)
        expectKept(steps.map(\.subject), in: try StormFolder.items(at: folder.location.path))
    }

    /// Ends the daemon that runs, or the next one: the steps that were read may be those of the one before.
    private static func endNext(in folder: DaemonFolder) -> Bool {
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: 60_000))
        while !folder.end(by: SIGTERM) { guard pauses.wait() else { return false } }
        return true
    }

    /// Programs that add items until they are killed.
    private static func start(at path: String, prefix: [String] = []) throws -> [StormProcess] {
        try (0..<programs).map { number in
            let program = try program(at: path, prefix: prefix)
            try program.send("adds program\(number) 1000000")
            return program
        }
    }

    /// A program that uses a keychain through whatever owns it.
    private static func program(at path: String, prefix: [String]) throws -> StormProcess {
        let program = try StormProcess(path, prefix: prefix)
        #expect(try program.ask("route").operation == "routed")
        return program
    }

    /// The next steps of a program, up to so many that succeed from now on.
    private static func steps(of program: StormProcess, untilDone count: Int) throws -> [Step] {
        var steps: [Step] = []
        // A program does not wait for its steps to be read.
        while program.hasStep, let step = try program.nextStep() { steps.append(step) }
        var done = 0
        while done < count {
            guard let step = try program.nextStep() else {
                throw StormProcess.Failure.unfinished(after: steps.suffix(3).map(\.description))
            }
            steps.append(step)
            if step.isDone { done += 1 }
        }
        return steps
    }
}
