// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import LocalAuthentication
import Testing

/// What a program can tell of the enrolled biometry.
struct LADomainStateTests {
    private static let first = Bytes16([UInt8](repeating: 1, count: 16))
    private static let second = Bytes16([UInt8](repeating: 2, count: 16))

    @Test("the domain state changes with the enrolled set, and is nil without one")
    func domainState() {
        let service = FakeAuthentication(biometry: Biometry(.touchID, enrolledSet: Self.first))
        service.run {
            let context = LAContext()
            let before = context.domainState
            #expect(before.biometry.biometryType == .touchID)
            #expect(before.biometry.stateHash != nil && before.stateHash != nil)
            #expect(context.domainState.stateHash == before.stateHash)
            service.biometry = Biometry(.touchID, enrolledSet: Self.second)
            #expect(context.domainState.stateHash != before.stateHash)
            #expect(context.domainState.biometry.stateHash != before.biometry.stateHash)
            service.biometry = Biometry(.touchID)
            #expect(context.domainState.stateHash == nil && context.domainState.biometry.stateHash == nil)
            service.biometry = .none
            #expect(context.domainState.biometry.biometryType == .none)
        }
    }

    @Test("no companion can be paired")
    func companions() {
        FakeAuthentication().run {
            let companion = LAContext().domainState.companion
            #expect(companion.availableCompanionTypes.isEmpty && companion.stateHash == nil)
            #expect(companion.stateHash(for: .watch) == nil)
        }
        #expect([LACompanionType.watch, .mac, .vision].map(\.rawValue) == [1, 2, 4])
    }

    @Test("the evaluated state is there once a biometric policy can be evaluated, and goes when it no longer can")
    func evaluatedByAsking() {
        let service = FakeAuthentication(biometry: Biometry(.touchID, enrolledSet: Self.first))
        service.run {
            let context = LAContext()
            #expect(context.evaluatedPolicyDomainState == nil)
            context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
            #expect(context.evaluatedPolicyDomainState == nil)
            context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
            let before = context.evaluatedPolicyDomainState
            #expect(before != nil && before == context.domainState.biometry.stateHash)
            service.biometry = Biometry(.touchID, enrolledSet: Self.second)
            #expect(context.evaluatedPolicyDomainState == before)
            context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
            #expect(context.evaluatedPolicyDomainState != before)
            service.obstacles = [.biometrics: .biometryLockout]
            context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
            #expect(context.evaluatedPolicyDomainState == nil)
        }
    }

    @Test(
        "the evaluated state is there after a recognition only",
        arguments: [
            (.deviceOwnerAuthenticationWithBiometrics, true, nil, true),
            (.deviceOwnerAuthentication, true, nil, true),
            (.deviceOwnerAuthentication, false, nil, false),
            (.deviceOwnerAuthenticationWithBiometrics, true, .authenticationFailed, false),
        ] as [(LAPolicy, Bool, AuthenticationFailure?, Bool)]
    )
    func evaluated(policy: LAPolicy, isRecognized: Bool, failure: AuthenticationFailure?, isThere: Bool) async throws {
        let set = try #require(Self.first)
        let service = FakeAuthentication(biometry: Biometry(.touchID, enrolledSet: set)) { question in
            question.record(isRecognized ? .biometry(enrolledSet: set) : .passcode)
            return failure
        }
        await service.run {
            let context = LAContext()
            let outcome = await Outcome.of { try await context.evaluatePolicy(policy, localizedReason: "a test") }
            #expect(outcome.isSuccess == (failure == nil))
            #expect((context.evaluatedPolicyDomainState != nil) == isThere)
        }
    }
}
