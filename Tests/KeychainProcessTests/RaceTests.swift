// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore
import Testing

/// Several processes at one store.
@Suite(.timeLimit(.minutes(30)))
struct RaceTests {
    private static let rounds = 25

    @Test("processes that hammer one store lose nothing and share nothing", arguments: [2, 4])
    func hammer(processCount: Int) throws {
        let folder = try StormFolder()
        let names = (0..<processCount).map { "p\($0)" }
        let preparation = try folder.start()
        #expect(try preparation.ask("add contended").isDone)
        try preparation.send("adds gone \(Self.rounds)")
        _ = try preparation.steps(upTo: "done")

        let processes = try names.map { _ in try folder.start() }
        for (process, name) in zip(processes, names) { try process.send("hammer \(name) \(Self.rounds)") }
        let steps = try processes.map { try $0.steps(upTo: "done") }

        for step in steps.joined() { #expect(Self.isExpected(step), "\(step)") }
        for round in 0..<Self.rounds {
            #expect(Self.count("add", of: "shared-\(round)", in: steps) == 1, "exactly one add wins")
            #expect(Self.count("delete", of: "gone-\(round)", in: steps) == 1, "exactly one delete wins")
        }
        let items = try folder.items()
        let own = names.flatMap { name in
            (0..<Self.rounds).filter { $0 % 3 != 0 }.map { "own-\(name)-\($0)" }
        }
        let shared = (0..<Self.rounds).map { "shared-\($0)" }
        expectKept(own + shared + ["contended"], in: items)
        #expect(items.count == own.count + shared.count + 1, "what was deleted is gone")
        for (name, steps) in zip(names, steps) { Self.expectTraces(of: name, steps, in: items) }
    }

    /// Every status is success, but for the one that the loser of a race gets.
    private static func isExpected(_ step: Step) -> Bool {
        if step.isDone { return true }
        switch step.operation {
        case "add": return step.status == Int(Status.duplicateItem.rawValue) && step.subject.hasPrefix("shared-")
        case "delete": return step.status == Int(Status.itemNotFound.rawValue) && step.subject.hasPrefix("gone-")
        default: return false
        }
    }

    private static func count(_ operation: String, of subject: String, in steps: [[Step]]) -> Int {
        steps.joined().count { $0.operation == operation && $0.subject == subject && $0.isDone }
    }

    /// What a process did to its own items, and the shared ones that it won, is what the items say.
    private static func expectTraces(of name: String, _ steps: [Step], in items: [Found]) {
        let labels = Dictionary(items.map { ($0.account, $0.label) }) { $1 }
        for step in steps where step.operation == "add" && step.isDone && step.subject.hasPrefix("shared-") {
            #expect(labels[step.subject] == name)
        }
        for round in 0..<rounds where round % 3 != 0 {
            #expect(labels["own-\(name)-\(round)"] == "\(name)-\(round)")
        }
    }

    @Test("processes that come first at the same time make one store with one root key")
    func firstRun() throws {
        for round in 0..<15 {
            let folder = try StormFolder()
            let processes = try (0..<8).map { _ in try folder.start() }
            for (index, process) in processes.enumerated() { try process.send("add first-\(index)") }
            for process in processes {
                let step = try #require(try process.nextStep())
                #expect(step.isDone, "round \(round): \(step)")
            }
            for process in processes { #expect(try process.ask("count").description == "count 8 0") }
            expectKept((0..<8).map { "first-\($0)" }, in: try folder.items())
            let files = try #require(try folder.fileNames)
            let expected = ["", "-shm", "-wal"].map { Store.fileName + $0 } + [RootKeyFile.name, "setup.lock"]
            #expect(files.sorted() == expected.sorted())
        }
    }

    @Test("a store that another program holds for too long is busy, and then works")
    func busy() throws {
        let folder = try StormFolder()
        let holder = try folder.start()
        let waiting = try folder.start(busyTimeoutMilliseconds: 150)
        #expect(try waiting.ask("add before").isDone)
        #expect(try holder.ask("hold").description == "held 0")

        let clock = ContinuousClock()
        let start = clock.now
        let refused = try waiting.ask("add meanwhile")
        #expect(clock.now - start >= .milliseconds(100), "it waited")
        #expect(refused.status == Int(Status.notAvailable.rawValue))
        #expect(refused.description.contains("busy"), "\(refused)")
        #expect(try waiting.ask("read before").isDone, "a reader does not wait for a writer")

        #expect(try holder.ask("released").description == "released 0")
        #expect(try waiting.ask("add meanwhile").isDone)
        expectKept(["before", "meanwhile"], in: try folder.items())
    }
}
