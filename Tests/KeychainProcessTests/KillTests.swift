// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainTestSupport
import Testing

/// `kill -9` at a random moment of a storm of writes: nothing acknowledged is lost, and no call is done by half.
@Suite(.timeLimit(.minutes(30)))
struct KillTests {
    private static let rounds = 20

    @Test("every acknowledged add outlives a kill, made by itself or together with others", arguments: [false, true])
    func addsOutliveKill(_ together: Bool) throws {
        let folder = try StormFolder()
        var moments = Moments()
        var acknowledged: [String] = []
        for round in 0..<Self.rounds {
            let process = try folder.start(likeDaemon: together)
            try process.send("\(together ? "burst" : "adds") round\(round) 100000")
            let steps = try killed(process, &moments)
            expectDone(steps)
            acknowledged += steps.map(\.subject)
            expectKept(acknowledged, in: try folder.items())
        }
        #expect(acknowledged.count >= Self.rounds)
    }

    @Test("an update of many items is done to all or to none")
    func updatesOutliveKill() throws {
        let folder = try StormFolder()
        try fill(folder, count: 24)
        var moments = Moments()
        var previous = try #require(try folder.items().first).label
        for _ in 0..<Self.rounds {
            let process = try folder.start()
            try process.send("generations all 100000")
            let last = try killed(process, &moments, atMost: 12).compactMap { Int($0.subject) }.last
            let items = try folder.items()
            expectKept((0..<24).map { "item-\($0)" }, in: items)
            let labels = Set(items.map(\.label))
            #expect(labels.count == 1, "\(labels)")
            // The last acknowledged one or the one under way; with none acknowledged, what was there or the first.
            let label = try #require(labels.first)
            let allowed = last.map { ["\($0)", "\($0 + 1)"] } ?? [previous, "1"]
            #expect(allowed.contains(label))
            previous = label
        }
    }

    @Test("a move of many items between groups is done to all or to none")
    func movesOutliveKill() throws {
        let folder = try StormFolder()
        try fill(folder, count: 24)
        var moments = Moments()
        for _ in 0..<Self.rounds {
            let process = try folder.start()
            // The first move finds nothing when the round before ended with everything in the second group.
            try process.send("moves all 100000")
            let steps = try killed(process, &moments, atMost: 12)
            expectDone(steps.dropFirst())
            let items = try folder.items()
            expectKept((0..<24).map { "item-\($0)" }, in: items)
            let groups = Set(items.map(\.group))
            #expect(groups.count == 1, "\(groups)")
        }
    }

    private func fill(_ folder: StormFolder, count: Int) throws {
        let process = try folder.start()
        try process.send("adds item \(count)")
        expectDone(try process.steps(upTo: "done"))
    }

    /// Kills a process some acknowledged steps and some microseconds into its storm.
    private func killed(_ process: StormProcess, _ moments: inout Moments, atMost maximum: Int = 40) throws -> [Step] {
        let (count, delay) = moments.next(atMost: maximum)
        var steps: [Step] = []
        while steps.count < count, let step = try process.nextStep() { steps.append(step) }
        // Not a wait for anything: the delay moves the kill to any point of a call.
        usleep(delay)
        try process.kill9()
        return steps + (try process.remainingSteps())
    }
}

/// Random moments to kill at; the seed is printed, and can be given back by STORM_SEED.
private struct Moments {
    private var generator: SeededGenerator

    init() {
        let seed = getenv("STORM_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0 ... .max)
        print("kill moments: STORM_SEED=\(seed)")
        generator = SeededGenerator(seed: seed)
    }

    /// A number of steps, and microseconds after the last of them.
    mutating func next(atMost maximum: Int) -> (steps: Int, delay: UInt32) {
        (.random(in: 0...maximum, using: &generator), .random(in: 0..<3_000, using: &generator))
    }
}
