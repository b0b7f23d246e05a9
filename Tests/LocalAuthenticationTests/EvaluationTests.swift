// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices
import LocalAuthentication
import PortableLocalAuthentication
import Testing

/// Evaluations, with a reply and asynchronous.
struct EvaluationTests {
    @Test("success is told once, with the program's reason and the context", arguments: Form.allCases)
    func success(form: Form) async throws {
        let service = FakeAuthentication()
        let context = LAContext()
        let outcome = try await service.run { try await form.evaluate(context, reason: "to see the notes") }
        #expect(outcome == .success)
        #expect(service.questions.map(\.reason) == ["to see the notes"])
        #expect(service.questions.map(\.context) == [context.authenticationContext.value])
    }

    @Test("every failure has Apple's code and a text", arguments: AuthenticationFailure.allCases)
    func failures(failure: AuthenticationFailure) async throws {
        let service = FakeAuthentication { _ in failure }
        let code = try #require(LAError.Code(rawValue: failure.rawValue))
        for form in Form.allCases {
            #expect(try await service.run { try await form.evaluate(LAContext()) } == .failure(code))
        }
        let error = await #expect(throws: LAError.self) {
            try await service.run {
                try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "a test")
            }
        }
        let object = try #require(error) as NSError
        #expect(object.domain == LAErrorDomain && object.code == failure.rawValue)
        #expect(object.localizedDescription == object.userInfo[NSLocalizedDescriptionKey] as? String)
        #expect(error?.localizedDescription == object.localizedDescription)
        #expect(!object.localizedDescription.isEmpty)
    }

    @Test("the call returns before the person has answered", arguments: [Form.policy, .accessControl])
    func nobodyIsBlocked(form: Form) async throws {
        let gate = Gate()
        let service = FakeAuthentication { _ in gate.wait() ? nil : .systemCancel }
        // The gate opens on the thread that started the evaluation, after that returned.
        #expect(try await service.run { try await form.evaluate(LAContext()) { gate.open() } } == .success)
    }

    @Test("an empty reason asks nobody", arguments: Form.allCases)
    func emptyReason(form: Form) async throws {
        let service = FakeAuthentication()
        #expect(try await service.run { try await form.evaluate(LAContext(), reason: "") } == .failure(.notInteractive))
        #expect(service.questions.isEmpty)
    }

    @Test("an invalidated context asks nobody", arguments: Form.allCases)
    func invalid(form: Form) async throws {
        let service = FakeAuthentication()
        let context = LAContext()
        context.invalidate()
        #expect(try await service.run { try await form.evaluate(context) } == .failure(.invalidContext))
        #expect(service.questions.isEmpty)
    }

    @Test("invalidation ends a pending question", arguments: Form.allCases)
    func invalidation(form: Form) async throws {
        let context = LAContext()
        let service = FakeAuthentication { question in
            let ended = Gate()
            question.cancellation.onCancel { ended.open() }
            context.invalidate()
            return ended.wait() ? .systemCancel : nil
        }
        #expect(try await service.run { try await form.evaluate(context) } == .failure(.appCancel))
        #expect(try await service.run { try await form.evaluate(context) } == .failure(.invalidContext))
        #expect(service.questions.count == 1)
    }

    @Test("an evaluation belongs to the keychain of the task that started it", arguments: Form.allCases)
    func taskLocal(form: Form) async throws {
        let first = FakeAuthentication { _ in .userCancel }
        let second = FakeAuthentication()
        let context = LAContext()
        #expect(try await first.run { try await form.evaluate(context) } == .failure(.userCancel))
        #expect(try await second.run { try await form.evaluate(context) } == .success)
        #expect(first.questions.count == 1 && second.questions.count == 1)
    }

    @Test(
        "making asks nobody, using does",
        arguments: [
            (.createItem, false), (.createKey, false), (.useItem, true), (.useKeySign, true), (.useKeyDecrypt, true),
            (.useKeyKeyExchange, true),
        ] as [(LAAccessControlOperation, Bool)]
    )
    func operations(operation: LAAccessControlOperation, asks: Bool) async throws {
        let service = FakeAuthentication { _ in .userCancel }
        for form in [Form.accessControl, .accessControlAsync] {
            let outcome = try await service.run { try await form.evaluate(LAContext(), operation: operation) }
            #expect(outcome == (asks ? .failure(.userCancel) : .success))
        }
        #expect(service.questions.count == (asks ? 2 : 0))
    }

    @Test("the access control reaches the service whole")
    func accessControl() async throws {
        let service = FakeAuthentication()
        let flags: SecAccessControlCreateFlags = [.biometryAny, .or, .devicePasscode, .privateKeyUsage]
        let access = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlock, flags, nil))
        let isSatisfied = try await service.run {
            try await LAContext().evaluateAccessControl(access, operation: .useKeySign, localizedReason: "a test")
        }
        #expect(isSatisfied)
        let constraints = try #require(AccessConstraints(AccessControlFlags(rawValue: UInt64(flags.rawValue))))
        let expected = AccessControl(protection: .afterFirstUnlock, constraints: constraints)
        #expect(service.questions.map(\.demand) == [.accessControl(expected)])
    }

    @Test(
        "what asks for a passcode cannot be made where none is set",
        arguments: [
            (.whenPasscodeSetThisDeviceOnly, [], true),
            (.whenUnlocked, .userPresence, true),
            (.whenUnlocked, [.biometryAny, .applicationPassword], true),
            (.whenUnlocked, .applicationPassword, false),
            (.whenUnlocked, .privateKeyUsage, false),
            (.whenUnlocked, [], false),
        ] as [(Accessibility, SecAccessControlCreateFlags, Bool)]
    )
    func passcode(level: Accessibility, flags: SecAccessControlCreateFlags, needsPasscode: Bool) async throws {
        let access = try #require(SecAccessControlCreateWithFlags(nil, NSString(string: level.rawValue), flags, nil))
        let service = FakeAuthentication()
        for obstacle in [AuthenticationFailure.passcodeNotSet, .notInteractive] {
            service.obstacles = [.deviceOwner: obstacle]
            let outcome = await service.run {
                await Outcome.of {
                    let context = LAContext()
                    return try await context.evaluateAccessControl(
                        access,
                        operation: .createItem,
                        localizedReason: "a test"
                    )
                }
            }
            let isMissing = needsPasscode && obstacle == .passcodeNotSet
            #expect(outcome == (isMissing ? .failure(.passcodeNotSet) : .success))
        }
        #expect(service.questions.isEmpty)
    }
}
