// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import LocalAuthentication
import Testing

@testable import KeychainRecipes

@Suite("Outcomes of a biometric gate") struct BiometricOutcomeTests {
    @Test("no error is a pass") func errors() {
        for number in -1_100...1_100 {
            let error = NSError(domain: LAErrorDomain, code: number)
            #expect(BiometricOutcome(refusal: error) != .passed)
            #expect(BiometricOutcome(refusal: NSError(domain: "else", code: number)) == .other(0))
        }
        #expect(BiometricOutcome(refusal: LAError(.biometryNotPaired)) == .other(-12))
    }

    @Test("a scripted gate gives its answers, and is no pass without one") func scripted() async {
        let enrolment = BiometricEnrolment(state: Data([1]))
        let gate = ScriptedBiometricGate([.cancelled, .passed, .lockedOut], enrolment: enrolment)
        #expect(await gate.obstacle() == nil)
        #expect(await gate.ask(reason: "one") == .cancelled)
        #expect(await gate.ask(reason: "two") == .passed)
        #expect(await gate.obstacle() == .lockedOut)
        #expect(await gate.ask(reason: "three") == .lockedOut)
        #expect(await gate.ask(reason: "four") == .notInteractive)
        #expect(await gate.reasons == ["one", "two", "three", "four"])
        #expect(await gate.change(since: enrolment) == .none)
        await gate.enrol(BiometricEnrolment(state: Data([2])))
        #expect(await gate.change(since: enrolment) == .changed)
        await gate.enrol(nil)
        #expect(await gate.change(since: enrolment) == .unknown)
    }
}
