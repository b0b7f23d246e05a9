// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainSync
import KeychainSynchronization
import SyncTestSupport
import Testing

/// Random histories with faults, and a death between any two steps: all devices end equal, and nothing that was
/// acknowledged is lost.
///
/// `KEYCHAIN_SYNC_SEEDS=10000` runs as many seeds.
struct HistoryTests {
    private static var seedCount: UInt64 {
        ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_SEEDS"].flatMap(UInt64.init) ?? 200
    }

    @Test("all devices end equal, with the greatest version of each slot that was acknowledged", arguments: 0..<8)
    func convergence(_ part: UInt64) async throws {
        var counts: [String: Int] = [:]
        for seed in stride(from: part, to: Self.seedCount, by: 8) {
            let history = try await RandomHistory.run(seed: seed, devices: 2 + Int(seed % 3))
            #expect(history.violations.isEmpty, "seed \(seed)")
            counts.merge(history.counts) { $0 + $1 }
        }
        guard Self.seedCount >= 200 else { return }
        for what in ["set", "delete", "round", "fault", "death", "locked", "forgotten"] {
            #expect(counts[what, default: 0] > 0, "no \(what) happened")
        }
    }

    /// Two changes and a delete, of which each device knows a part.
    private func prepared() async throws -> ModelCircle {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "one")
        try circle[0].set("d", "one", level: "ck")
        try await circle.settle()
        try circle[0].set("b", "two", level: "ck")
        try circle[0].delete("d")
        try circle[1].set("a", "three")
        circle.time.advance(by: 1)
        try circle[0].set("a", "four")
        try await circle.round(1)
        return circle
    }

    @Test("a device that is killed between any two steps of a round goes on from there")
    func deaths() async throws {
        var deaths = 0
        for step in 0... {
            let circle = try await prepared()
            circle[0].die(after: step)
            do {
                try await circle.round(0)
                circle[0].die(after: nil)
                #expect(deaths > 20)
                return
            } catch is Killed {
                deaths += 1
            }
            circle[0].die(after: nil)
            circle.restart(0)
            try await circle.settle()
            for index in 0...1 { #expect(circle[index].secrets == ["a": "four", "b": "two"], "step \(step)") }
            #expect(circle[0].versions == circle[1].versions && circle[0].book.outgoingSlots.isEmpty, "step \(step)")
        }
    }

    @Test("a commit that was not noted is recognized as one's own, while locked, too")
    func unnotedCommit() async throws {
        for step in 0... {
            let circle = try await ModelCircle(2)
            try circle[0].set("a", "one")
            circle[0].setLocked(true)
            circle[0].die(after: step)
            do {
                try await circle.round(0)
                #expect(step > 5)
                return
            } catch is Killed {}
            circle[0].die(after: nil)
            circle.restart(0)
            let report = try await circle.round(0)
            #expect(report.waiting == 0 && report.queued == 0, "step \(step)")
            try await circle.round(1)
            #expect(circle[1].secret("a") == "one")
        }
    }

    @Test("a change that is cut off between any two steps is there wholly, and is sent, or not at all")
    func cutOffChanges() async throws {
        let circle = try await prepared()
        for step in 0... {
            circle[1].die(after: step)
            do {
                try circle[1].set("e", "\(step)")
                circle[1].die(after: nil)
                #expect(step > 2)
                return
            } catch is Killed {
                circle[1].die(after: nil)
            }
            circle.restart(1)
            try await circle.settle()
            #expect(circle[0].secret("e") == circle[1].secret("e") && circle[1].book.outgoingSlots.isEmpty)
        }
    }

    @Test(
        "each call of a round can fail in every way, and the next round makes it good",
        arguments: EngineFault.allCases
    )
    func faults(_ fault: EngineFault) async throws {
        for call in 1... {
            let circle = try await prepared()
            let counter = CallCounter(failing: call)
            await circle.members[0].connection.fail { counter.isNext ? fault : nil }
            do { try await circle.round(0) } catch is EngineError {}
            await circle.members[0].connection.fail { nil }
            try await circle.settle()
            #expect(circle[0].secrets == ["a": "four", "b": "two"] && circle[1].secrets == circle[0].secrets)
            #expect(circle[0].versions == circle[1].versions && circle[0].book.outgoingSlots.isEmpty, "call \(call)")
            if !counter.hasFailed { return }
        }
    }
}
