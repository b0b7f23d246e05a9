// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import KeychainTestSupport
import Synchronization

/// A random history of a circle, the same for the same seed: changes, rounds, locks, clocks, faults, deaths.
///
/// It notes every acknowledged change. At the end all devices have to be equal, and at each slot is the greatest
/// version that was acknowledged.
package struct RandomHistory {
    /// What a history found wrong; empty for nothing.
    package private(set) var violations: [String] = []
    /// How often something happened, so that a test knows that it did.
    package private(set) var counts: [String: Int] = [:]

    private let circle: ModelCircle
    private var generator: SeededGenerator
    private var acknowledged: [Bytes16: Set<SyncVersion>] = [:]
    private var tombstones: Set<SyncVersion> = []

    private static let accounts = ["a", "b", "c", "d", "e", "f"]

    /// Runs a history.
    ///
    /// - Parameters:
    ///   - seed: the seed.
    ///   - devices: the number of devices.
    ///   - steps: the number of steps.
    /// - Returns: What happened.
    /// - Throws: What no history may throw.
    package static func run(seed: UInt64, devices: Int = 3, steps: Int = 40) async throws -> RandomHistory {
        let circle = try await ModelCircle(devices)
        var history = RandomHistory(circle, seed: seed)
        let box = FaultBox(seed: seed)
        for member in circle.members { await member.connection.fail { box.next() } }
        for _ in 0..<steps { try await history.step(box) }
        try await history.settle(box)
        await history.check()
        return history
    }

    private init(_ circle: ModelCircle, seed: UInt64) {
        self.circle = circle
        generator = SeededGenerator(seed: seed)
    }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

    private mutating func step(_ box: FaultBox) async throws {
        let index = Int.random(in: 0..<circle.members.count, using: &generator)
        let device = circle[index]
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<38: try change(index)
        case 38..<46: device.die(after: Int.random(in: 0..<60, using: &generator))
        case 46..<50: device.setLocked(Bool.random(using: &generator))
        case 50..<53:
            device.setClock(ahead: Double(Int.random(in: -10...10, using: &generator)) * 365 * 86_400)
        case 53..<57: await circle.members[index].connection.setReachable(Bool.random(using: &generator))
        case 57..<62: circle.time.advance(by: Double(Int.random(in: 0..<200_000, using: &generator)))
        case 62..<64: device.damage(account())
        case 64..<66: box.rate = [0, 0, 5, 20].randomElement(using: &generator) ?? 0
        case 66: circle.restart(index)
        case 67: circle.time.advance(by: 200 * 86_400)
        default: try await round(index)
        }
    }

    private mutating func account() -> String { Self.accounts.randomElement(using: &generator) ?? "a" }

    private mutating func change(_ index: Int) throws {
        let device = circle[index]
        let before = device.versions
        let account = account()
        let isDelete = Int.random(in: 0..<4, using: &generator) == 0
        let level = Bool.random(using: &generator) ? "ak" : "ck"
        let secret = "\(UInt32.random(in: 0..<1_000, using: &generator))"
        do {
            if isDelete {
                try device.delete(account)
            } else {
                try device.set(account, secret, level: level)
            }
            count(isDelete ? "delete" : "set")
        } catch is Killed {
            revive(index)
        } catch is SyncFault {
            // A device that is locked adds nothing that it could not read.
            count("locked")
        }
        // What a device has is acknowledged, also if it died before it could say so.
        for (slot, version) in device.versions where before[slot] != version {
            if let seen = before[slot], !version.wins(over: seen) {
                violations.append("a change loses to what was visible")
            }
            acknowledged[slot, default: []].insert(version)
            if device.tombstones.contains(slot) { tombstones.insert(version) }
        }
    }

    private mutating func round(_ index: Int) async throws {
        do {
            _ = try await circle.round(index)
            count("round")
        } catch is Killed {
            revive(index)
        } catch is EngineError {
            count("fault")
        } catch SyncStop.alarm(let alarm) {
            violations.append("an alarm without an attack: \(alarm)")
        }
    }

    private mutating func revive(_ index: Int) {
        circle[index].die(after: nil)
        circle.restart(index)
        count("death")
    }

    private mutating func settle(_ box: FaultBox) async throws {
        box.rate = 0
        for (index, member) in circle.members.enumerated() {
            member.device.die(after: nil)
            member.device.setLocked(false)
            await member.connection.setReachable(true)
            if index.isMultiple(of: 2) { circle.restart(index) }
        }
        try await circle.settle()
    }

    private mutating func check() async {
        let devices = circle.members.map(\.device)
        let secrets = Set(devices.map(\.secrets))
        if secrets.count != 1 { violations.append("the devices differ: \(secrets)") }
        let deleted = await circle.engine.deleted()
        for (number, device) in devices.enumerated() {
            if !device.book.outgoingSlots.isEmpty || !device.book.waitingRecords.isEmpty {
                violations.append("device \(number) is not done")
            }
            let versions = device.versions
            for (slot, all) in acknowledged {
                // A tombstone that was forgotten took all that is before it along.
                let mayGo = deleted.contains(CirclePaths(circle.place).record(slot))
                let forgotten = mayGo ? all.filter { tombstones.contains($0) && $0 != versions[slot] } : []
                for version in all where version != versions[slot] {
                    let isBeaten = versions[slot]?.wins(over: version) ?? false
                    let isForgotten = forgotten.contains { $0 == version || $0.wins(over: version) }
                    if !isBeaten, !isForgotten { violations.append("device \(number) lost an acknowledged change") }
                }
            }
        }
        for slot in acknowledged.keys where devices.first?.versions[slot] == nil { count("forgotten") }
    }
}

/// Chooses what goes wrong with a call.
package final class FaultBox: Sendable {
    private let state: Mutex<(generator: SeededGenerator, rate: Int)>

    /// No faults, at first.
    package init(seed: UInt64) { state = Mutex((SeededGenerator(seed: seed ^ 0xFA17), 0)) }

    /// How many of a hundred calls fail.
    package var rate: Int {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue } }
    }

    /// What goes wrong with the next call; `nil` for nothing.
    package func next() -> EngineFault? {
        state.withLock { state in
            guard state.rate > 0, Int.random(in: 0..<100, using: &state.generator) < state.rate else { return nil }
            return EngineFault.allCases.randomElement(using: &state.generator)
        }
    }
}

/// Chooses one call.
package final class CallCounter: Sendable {
    private let left: Mutex<Int>

    /// Of calls that follow, the number of the one that is chosen; 1 is the first.
    package init(failing number: Int) { left = Mutex(number) }

    /// Whether the call that is made now is the chosen one.
    package var isNext: Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }

    /// Whether the chosen call was made.
    package var hasFailed: Bool { left.withLock { $0 <= 0 } }
}
