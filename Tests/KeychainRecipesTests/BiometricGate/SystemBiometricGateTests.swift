// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainRecipes
import KeychainTesting
import LocalAuthentication
import Testing

@Suite("The system's biometric gate", .keychain) struct SystemBiometricGateTests {
    private let gate = SystemBiometricGate()
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    @Test(
        "says what the owner did",
        arguments: [
            (Owner.Answer.succeeds, BiometricOutcome.passed), (.fails, .notRecognized), (.cancels, .cancelled),
            (.fallsBack, .fallback), (.isAway, .interrupted),
        ]
    )
    func answers(answer: Owner.Answer, outcome: BiometricOutcome) async throws {
        try device.owner.answer = answer
        #expect(await gate.ask(reason: "to show the balance") == outcome)
    }

    @Test("reports the lock state and what prevents a prompt, without prompting") func states() async throws {
        let device = try device
        #expect(await gate.obstacle() == nil)
        device.isBiometryLockedOut = true
        #expect(await gate.ask(reason: "r") == .lockedOut)
        #expect(await gate.obstacle() == .lockedOut)
        device.isBiometryLockedOut = false
        device.removeBiometry()
        #expect(await gate.ask(reason: "r") == .notEnrolled)
        #expect(await gate.obstacle() == .notEnrolled)
        #expect(device.owner.questions.isEmpty)
    }

    @Test("says that there is no biometry", .keychain(biometry: .none)) func noSensor() async {
        #expect(await gate.ask(reason: "r") == .notAvailable)
        #expect(await gate.obstacle() == .notAvailable)
    }

    @Test("says that there is no passcode", .keychain(passcode: nil)) func noPasscode() async {
        let gate = SystemBiometricGate(acceptsPasscode: true)
        #expect(await gate.ask(reason: "r") == .passcodeNotSet)
        #expect(await gate.obstacle() == .passcodeNotSet)
    }

    @Test("takes the passcode for a lockout if it was told to") func passcode() async throws {
        try device.isBiometryLockedOut = true
        #expect(await SystemBiometricGate(acceptsPasscode: true).ask(reason: "r") == .passed)
        #expect(try device.owner.questions.map(\.kind) == [.passcode])
    }

    @Test("prompts each time") func promptsAgain() async throws {
        #expect(await gate.ask(reason: "one") == .passed)
        try device.owner.answer = .cancels
        #expect(await gate.ask(reason: "two") == .cancelled)
        #expect(try device.owner.questions.map(\.reason) == ["one", "two"])
    }

    @Test("does not prompt without a reason") func emptyReason() async throws {
        #expect(await gate.ask(reason: "") == .notInteractive)
        #expect(try device.owner.questions.isEmpty)
    }

    @Test("a cancelled task does not prompt") func cancelledTask() async throws {
        let gate = gate
        let outcome = await withTaskGroup(of: BiometricOutcome.self) { group in
            group.cancelAll()
            group.addTask { await gate.ask(reason: "r") }
            return await group.next()
        }
        #expect(outcome == .interrupted)
        #expect(try device.owner.questions.isEmpty)
    }

    @Test("a context that fails with an error of another domain has not passed") func foreignError() async {
        struct Foreign: Error {}
        final class Failing: LAContext, @unchecked Sendable {
            override func evaluatePolicy(
                _ policy: LAPolicy,
                localizedReason: String,
                reply: @escaping @Sendable (Bool, (any Error)?) -> Void
            ) { reply(false, Foreign()) }
        }
        let gate = SystemBiometricGate(makeContext: { Failing() })
        #expect(await gate.ask(reason: "r") == .other(0))
    }

    @Test("detects a changed enrolment, and does not mistake a lockout for one") func enrolment()
        async throws
    {
        let device = try device
        let earlier = try #require(await gate.enrolment())
        #expect(await gate.change(since: earlier) == .none)
        device.isBiometryLockedOut = true
        #expect(await gate.change(since: earlier) == .unknown)
        device.enrollBiometry()
        #expect(await gate.change(since: earlier) == .changed)
        device.removeBiometry()
        #expect(await gate.change(since: earlier) == .changed)
        let lenient: any BiometricGate = SystemBiometricGate(acceptsPasscode: true)
        #expect(await lenient.change(since: earlier) == .changed, "that a passcode would do changes nothing")
        let kept = try JSONDecoder().decode(BiometricEnrolment.self, from: JSONEncoder().encode(earlier))
        #expect(kept == earlier)
    }
}
