// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServices
import KeychainTestSupport
import LocalAuthentication
import PortableLocalAuthentication
import Synchronization
import Testing

/// The members of a context that ask nobody.
struct LAContextTests {
    @Test("what is set on a context can be read, and reaches what asks the person")
    func properties() {
        let context = LAContext()
        #expect(context.localizedReason == "" && context.localizedCancelTitle == nil)
        #expect(context.localizedFallbackTitle == nil && !context.interactionNotAllowed)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(context.maxBiometryFailures == nil)
        context.maxBiometryFailures = 3
        #expect(context.maxBiometryFailures == 3)
        context.localizedReason = "reason"
        context.localizedCancelTitle = "cancel"
        context.localizedFallbackTitle = ""
        context.interactionNotAllowed = true
        context.touchIDAuthenticationAllowableReuseDuration = 12.5
        #expect(context.localizedReason == "reason" && context.localizedCancelTitle == "cancel")
        #expect(context.localizedFallbackTitle == "" && context.interactionNotAllowed)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 12.5)
        let settings = context.authenticationContext.settings
        #expect(settings.localizedReason == "reason" && settings.localizedCancelTitle == "cancel")
        #expect(settings.localizedFallbackTitle == "" && settings.interactionNotAllowed)
        #expect(settings.reuseDurationSeconds == 12.5)
    }

    @Test(
        "the reuse duration is between nothing and five minutes",
        arguments: [
            (0, 0), (0.5, 0.5), (299.5, 299.5), (300, 300), (300.1, 300), (.infinity, 300), (-1, 0), (-.infinity, 0),
            (.nan, 0),
        ] as [(TimeInterval, TimeInterval)]
    )
    func reuseDuration(given: TimeInterval, kept: TimeInterval) {
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = 7
        context.touchIDAuthenticationAllowableReuseDuration = given
        #expect(context.touchIDAuthenticationAllowableReuseDuration == kept)
        #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
    }

    @Test("an application password is kept, replaced and removed; a smart card's PIN is not taken")
    func credentials() {
        let context = LAContext()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data("first".utf8), type: .applicationPassword))
        #expect(context.setCredential(Data("second".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.authenticationContext.value.applicationPassword == SecretBytes(Array("second".utf8)))
        #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN))
        #expect(!context.isCredentialSet(.smartCardPIN))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data(), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
    }

    @Test("an invalidated context forgets its credential and takes no other")
    func credentialsOfAnInvalidContext() {
        let context = LAContext()
        context.setCredential(Data("password".utf8), type: .applicationPassword)
        context.invalidate()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data("password".utf8), type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
    }

    @Test(
        "each policy is what the service is asked about",
        arguments: [
            (.deviceOwnerAuthentication, .deviceOwner),
            (.deviceOwnerAuthenticationWithBiometrics, .biometrics),
            (.deviceOwnerAuthenticationWithBiometricsOrWatch, .biometricsOrCompanion),
            (.deviceOwnerAuthenticationWithWatch, .companion),
            (.deviceOwnerAuthenticationWithWristDetection, .wristDetection),
        ] as [(LAPolicy, AuthenticationPolicy)]
    )
    func policies(policy: LAPolicy, demand: AuthenticationPolicy) async throws {
        let service = FakeAuthentication()
        try await service.run {
            let context = LAContext()
            var error: NSError?
            #expect(context.canEvaluatePolicy(policy, error: &error) && error == nil)
            service.obstacles = [demand: .biometryLockout]
            #expect(!context.canEvaluatePolicy(policy, error: &error))
            #expect(error?.domain == LAErrorDomain && error?.code == LAError.biometryLockout.rawValue)
            #expect(!context.canEvaluatePolicy(policy, error: nil))
            #expect(service.questions.isEmpty)
            try await context.evaluatePolicy(policy, localizedReason: "a test")
            #expect(service.questions.map(\.demand) == [.policy(demand)])
        }
        #expect(policy.rawValue == demand.rawValue)
    }

    @Test(
        "the kind of biometry is known after the first question whether a policy can be evaluated, whatever the answer"
    )
    func biometryType() {
        let service = FakeAuthentication(biometry: Biometry(.faceID))
        service.obstacles = [.deviceOwner: .passcodeNotSet]
        service.run {
            let context = LAContext()
            #expect(context.biometryType == .none)
            context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
            #expect(context.biometryType == .faceID)
            #expect(LAContext().biometryType == .none)
            service.biometry = Biometry(.touchID)
            #expect(context.biometryType == .faceID)
            context.invalidate()
            context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
            #expect(context.biometryType == .touchID)
            service.biometry = Biometry(.opticID)
            context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
            #expect(context.biometryType == .opticID)
        }
    }

    @Test("an invalidated context says so, and the service is not asked")
    func invalid() {
        let service = FakeAuthentication()
        service.run {
            let context = LAContext()
            context.invalidate()
            context.invalidate()
            var error: NSError?
            #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
            #expect(error?.code == LAError.invalidContext.rawValue)
        }
    }

    @Test("a query's context reaches the keychain as what it is made of; another object does not pass for one")
    func query() {
        let given = Mutex<[PropertyValue?]>([])
        let backend = FakeKeychain { request throws(KeychainError) in
            if case .copyMatching(let query) = request.operation {
                given.withLock { $0.append(query[kSecUseAuthenticationContext as String]) }
            }
            return .nothing
        }
        let context = LAContext()
        let keychain = KeychainContext(backend: backend, client: Client(accessGroups: ["tests"]))
        KeychainContext.$current.withValue(keychain) {
            let objects: [Any] = [context, OpenContext(), NSObject(), "context"]
            for object in objects {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: object,
                ]
                #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
            }
        }
        let values = given.withLock { $0 }
        #expect(values.first == .authenticationContext(context.authenticationContext.value))
        guard case .authenticationContext = values[1] else {
            Issue.record("a subclass is a context")
            return
        }
        #expect(values.dropFirst(2) == [.object("NSObject"), .string("context")])
    }
}

/// A program may subclass a context, and put it behind a protocol of its own.
struct LAContextSubclassTests {
    @Test("what a subclass overrides is what the asynchronous form asks")
    func override() async throws {
        let gate: any OwnersGate = OpenContext()
        #expect(gate.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        let isSatisfied = try await OpenContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "a test")
        #expect(isSatisfied)
    }
}

private protocol OwnersGate {
    func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool
}

private final class OpenContext: LAContext, OwnersGate, @unchecked Sendable {
    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { true }
    override func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { reply(true, nil) }
}
