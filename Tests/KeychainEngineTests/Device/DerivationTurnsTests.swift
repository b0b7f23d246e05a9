// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// How many keys are derived from passcodes and passwords at a time, and whose turn is next.
struct DerivationTurnsTests {
    private final class Keychain: Sendable {}

    /// The order in which derivations began, and how many there were at a time.
    private final class Record: Sendable {
        private let state = Mutex((begun: [String](), now: 0, maximum: 0))

        var begun: [String] { state.withLock(\.begun) }
        var maximum: Int { state.withLock(\.maximum) }

        func begin(_ name: String) {
            state.withLock { state in
                state.begun.append(name)
                state.now += 1
                state.maximum = max(state.maximum, state.now)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    @Test("there are never more at a time than are allowed, and each caller has its turn")
    func limit() {
        let turns = DerivationTurns(atMost: 3)
        let record = Record()
        let keychains = (0..<4).map { _ in Keychain() }
        let all = DispatchGroup()
        for number in 0..<12 {
            all.enter()
            _ = HostThread.start(.blocked) {
                for _ in 0..<50 {
                    try? turns.withTurn(for: ObjectIdentifier(keychains[number % 4])) { () throws(KeychainError) in
                        record.begin("\(number)")
                        usleep(100)
                        record.end()
                    }
                }
                all.leave()
            }
        }
        all.wait()
        #expect(record.begun.count == 600)
        #expect(record.maximum == 3)
        #expect(turns.waitingCount == 0)
    }

    @Test(
        "a keychain, or a program of one, that waits for its first turn comes before another one's next",
        arguments: [false, true]
    )
    func fairness(_ ofOneKeychain: Bool) {
        let turns = DerivationTurns(atMost: 2)
        let record = Record()
        let (greedy, modest) = (Keychain(), Keychain())
        let only = Keychain()
        let isOver = DispatchSemaphore(value: 0)
        let all = DispatchGroup()
        func start(_ name: String, _ keychain: Keychain, waiting count: Int) {
            all.enter()
            _ = HostThread.start(.blocked) {
                let served = ObjectIdentifier(ofOneKeychain ? only : keychain)
                let program: UInt64? = ofOneKeychain ? (keychain === greedy ? 1 : 2) : nil
                try? turns.withTurn(for: served, of: program) { () throws(KeychainError) in
                    record.begin(name)
                    isOver.wait()
                    record.end()
                }
                all.leave()
            }
            #expect(eventually("it waits") { turns.waitingCount == count && record.begun.count + count > 0 })
        }
        start("greedy", greedy, waiting: 0)
        #expect(eventually("it began") { record.begun.count == 1 })
        start("greedy", greedy, waiting: 0)
        #expect(eventually("it began") { record.begun.count == 2 })
        start("greedy", greedy, waiting: 1)
        start("greedy", greedy, waiting: 2)
        start("modest", modest, waiting: 3)
        for number in 3...5 {
            isOver.signal()
            #expect(eventually("the next one began") { record.begun.count == number })
        }
        for _ in 0..<2 { isOver.signal() }
        all.wait()
        #expect(record.begun == ["greedy", "greedy", "modest", "greedy", "greedy"])
    }

    @Test("who has had no turn in time is refused, and takes none from others afterwards")
    func patience() throws {
        let turns = DerivationTurns(atMost: 1, patienceMilliseconds: 10)
        let keychain = ObjectIdentifier(turns)
        try turns.withTurn(for: keychain) { () throws(KeychainError) in
            for waits in [true, false] {
                let refusal = #expect(throws: KeychainError.self) {
                    try turns.withTurn(for: keychain, waits: waits) { () throws(KeychainError) in
                        Issue.record("there is no turn")
                    }
                }
                #expect(refusal?.status == .notAvailable)
            }
        }
        var isTaken = false
        try turns.withTurn(for: keychain, waits: false) { () throws(KeychainError) in isTaken = true }
        #expect(isTaken)
    }

    @Test("passcodes and application passwords of a keychain take turns, and a refused one is not counted as wrong")
    func ofKeychain() throws {
        let turns = DerivationTurns(atMost: 1, patienceMilliseconds: 1)
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.derivationTurns = turns
        let keychain = EmbeddedKeychain.inMemory(device: device)
        let (passcode, other) = (SecretBytes([1]), SecretBytes([2]))
        let context = AuthenticationContext(applicationPassword: passcode)
        func call(_ body: () throws(KeychainError) -> Void) -> Status? {
            do throws(KeychainError) { try body() } catch { return error.status }
            return nil
        }
        let add = { keychain.add("a", "secret", with: .access(.applicationPassword) + .context(context)) }
        let calls: [(String, () -> Status?)] = [
            ("set", { call { () throws(KeychainError) in try keychain.device.setPasscode(passcode) } }),
            ("unlock", { call { () throws(KeychainError) in try keychain.device.unlock(passcode: passcode) } }),
            (
                "change",
                {
                    call { () throws(KeychainError) in
                        try keychain.device.changePasscode(from: passcode, to: other)
                    }
                }
            ),
            ("store", { add() == .failed(.notAvailable) ? .notAvailable : nil }),
            ("read", { keychain.secret("a", .context(context)) == .failed(.notAvailable) ? .notAvailable : nil }),
            ("remove", { call { () throws(KeychainError) in try keychain.device.removePasscode(other) } }),
        ]
        for (name, call) in calls {
            try turns.withTurn(for: ObjectIdentifier(turns)) { () throws(KeychainError) in
                for _ in 0..<10 { #expect(call() == .notAvailable, "\(name)") }
            }
            #expect(call() == nil, "\(name)")
        }
        #expect(keychain.secret("a", .context(context)) == .secret("secret"))
    }
}
