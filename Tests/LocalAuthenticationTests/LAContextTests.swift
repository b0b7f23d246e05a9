// SPDX-License-Identifier: Apache-2.0

import LocalAuthentication
import Testing

/// A context on a device that has neither a passcode nor biometry.
struct LAContextTests {
    @Test(
        "every policy says what the device lacks",
        arguments: [
            (.deviceOwnerAuthentication, .passcodeNotSet),
            (.deviceOwnerAuthenticationWithBiometrics, .biometryNotAvailable),
            (.deviceOwnerAuthenticationWithBiometricsOrWatch, .biometryNotAvailable),
            (.deviceOwnerAuthenticationWithWatch, .companionNotAvailable),
            (.deviceOwnerAuthenticationWithWristDetection, .companionNotAvailable),
        ] as [(LAPolicy, LAError.Code)]
    )
    func policies(policy: LAPolicy, code: LAError.Code) async throws {
        let context = LAContext()
        var error: NSError?
        #expect(!context.canEvaluatePolicy(policy, error: &error))
        #expect(error?.domain == LAErrorDomain)
        #expect(error?.code == code.rawValue)
        await #expect(throws: LAError(code)) { try await context.evaluatePolicy(policy, localizedReason: "a test") }
        let replied = await withCheckedContinuation { continuation in
            context.evaluatePolicy(policy, localizedReason: "a test") { isSuccess, error in
                continuation.resume(returning: (isSuccess, (error as? LAError)?.code))
            }
        }
        #expect(replied.0 == false)
        #expect(replied.1 == code)
    }

    @Test("an invalidated context says so")
    func invalid() async {
        let context = LAContext()
        context.invalidate()
        var error: NSError?
        context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error)
        #expect(error?.code == LAError.invalidContext.rawValue)
        await #expect(throws: LAError(.invalidContext)) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "a test")
        }
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)
        await #expect(throws: LAError(.invalidContext)) {
            let access = try #require(access)
            try await context.evaluateAccessControl(access, operation: .useItem, localizedReason: "a test")
        }
    }

    @Test("an access control without constraints is satisfied; one with constraints needs what the device lacks")
    func accessControl() async throws {
        let context = LAContext()
        let free = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
        let isSatisfied = try await context.evaluateAccessControl(free, operation: .useItem, localizedReason: "a test")
        #expect(isSatisfied)
        let bound = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        await #expect(throws: LAError(.passcodeNotSet)) {
            try await context.evaluateAccessControl(bound, operation: .useItem, localizedReason: "a test")
        }
    }

    @Test("what is set on a context can be read; the reuse duration has a longest value")
    func properties() {
        let context = LAContext()
        #expect(context.biometryType == .none)
        #expect(context.evaluatedPolicyDomainState == nil)
        #expect(!context.setCredential(Data("password".utf8), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.localizedReason == "" && context.localizedCancelTitle == nil)
        context.localizedReason = "reason"
        context.localizedCancelTitle = "cancel"
        context.localizedFallbackTitle = ""
        context.interactionNotAllowed = true
        context.touchIDAuthenticationAllowableReuseDuration = 1000
        #expect(context.localizedReason == "reason" && context.localizedCancelTitle == "cancel")
        #expect(context.localizedFallbackTitle == "" && context.interactionNotAllowed)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 300)
        context.touchIDAuthenticationAllowableReuseDuration = -1
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
    }

    @Test("a context may be used from many threads at once")
    func threads() {
        let context = LAContext()
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            context.localizedReason = "reason \(index)"
            context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
            if index == 100 { context.invalidate() }
        }
        #expect(context.localizedReason.hasPrefix("reason "))
    }

    @Test("a query takes a context, and importing this module is enough to make one")
    func query() {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "an item that nobody has",
            kSecUseAuthenticationContext: LAContext(),
        ]
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    }
}

/// A program may subclass a context, and put it behind a protocol of its own.
struct LAContextSubclassTests {
    private protocol Gate {
        func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool
    }

    private final class OpenContext: LAContext, Gate, @unchecked Sendable {
        override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { true }
        override func evaluatePolicy(
            _ policy: LAPolicy,
            localizedReason: String,
            reply: @escaping @Sendable (Bool, (any Error)?) -> Void
        ) { reply(true, nil) }
    }

    @Test("what a subclass overrides is what the asynchronous form asks")
    func override() async throws {
        let gate: any Gate = OpenContext()
        #expect(gate.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        let isSatisfied = try await OpenContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "a test")
        #expect(isSatisfied)
    }
}
