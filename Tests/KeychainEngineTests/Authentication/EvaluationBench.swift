// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Synchronization

@testable import KeychainEngine

/// An evaluator with everything around it played by the test.
struct EvaluationBench {
    static let passcode = "0000"
    static let storedSet = set(1)
    static let otherSet = set(2)

    let device: KeychainDevice
    let authenticator: ScriptedAuthenticator
    let clock = SettableHostClock()
    /// What the program set on the context.
    private(set) var given = AuthenticationContext()
    /// The context as the evaluator knows it.
    let context: ContextState
    let evaluator: Evaluator

    init(
        device: KeychainDevice = FakeDevice(passcode: passcode).device,
        biometry: Biometry = .none,
        answer: @escaping @Sendable (AuthenticationPrompt) -> AuthenticationReply = { _ in .cancelled }
    ) {
        self.device = device
        authenticator = ScriptedAuthenticator(biometry: biometry, answer: answer)
        evaluator = Evaluator(device: device, authenticator: authenticator, hostClock: clock)
        context = evaluator.contexts.state(of: given)
    }

    /// The bench of an owner.
    init(_ owner: ModelOwner) {
        let device = FakeDevice(passcode: owner.passcode == .notSet ? nil : Self.passcode).device
        self.init(device: device, biometry: Self.biometry(of: owner)) { Self.reply(of: owner, to: $0) }
        authenticator.canAskForSecrets = owner.passcode != .unaskable
        given.settings.interactionNotAllowed = !owner.mayBeAsked
        context.update(from: given)
        switch owner.shownBefore {
        case .nothing: break
        case .passcode: context.record(.passcode)
        case .biometry: context.record(.biometry(enrolledSet: Self.storedSet))
        }
    }

    var questions: [AuthenticationPrompt.Kind] { authenticator.prompts.map(\.kind) }

    /// How an evaluation ends; `nil` for success.
    func failure(_ accessControl: AccessControl) -> AuthenticationFailure? {
        Self.failure { () throws(AuthenticationFailure) in
            try evaluator.evaluate(accessControl, reason: "a test", context)
        }
    }

    func failure(_ policy: AuthenticationPolicy) -> AuthenticationFailure? {
        Self.failure { () throws(AuthenticationFailure) in try evaluator.evaluate(policy, reason: "a test", context) }
    }

    static func failure(_ body: () throws(AuthenticationFailure) -> Void) -> AuthenticationFailure? {
        do throws(AuthenticationFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    static func accessControl(_ constraints: AccessConstraints, enrolledSet: Bytes16? = storedSet) -> AccessControl {
        var accessControl = AccessControl(protection: .whenUnlocked, constraints: constraints)
        accessControl.enrolledSet = enrolledSet
        return accessControl
    }

    static func accessControl(_ flags: AccessControlFlags, enrolledSet: Bytes16? = storedSet) -> AccessControl {
        guard let constraints = AccessConstraints(flags) else {
            preconditionFailure("flags that contradict each other")
        }
        return accessControl(constraints, enrolledSet: enrolledSet)
    }

    private static func biometry(of owner: ModelOwner) -> Biometry {
        switch owner.biometry {
        case .missing: .none
        case .notEnrolled: Biometry(.faceID)
        case .lockedOut: Biometry(.touchID, enrolledSet: storedSet, isLockedOut: true)
        case .enrolledAgain: Biometry(.touchID, enrolledSet: otherSet)
        default: Biometry(.touchID, enrolledSet: storedSet)
        }
    }

    private static func reply(of owner: ModelOwner, to prompt: AuthenticationPrompt) -> AuthenticationReply {
        switch (prompt.kind, owner.passcode, owner.biometry) {
        case (.passcode, .right, _): .secret(SecretBytes(Array(passcode.utf8)))
        case (.passcode, .wrong, _): .secret(SecretBytes(Array("1111".utf8)))
        case (.applicationPassword, _, _): .secret(SecretBytes([1]))
        case (.biometry, _, .recognized), (.biometry, _, .enrolledAgain): .recognized
        case (.biometry, _, .notRecognized): .notRecognized
        case (.biometry, _, .fallback): .fallback
        default: .cancelled
        }
    }

    private static func set(_ byte: UInt8) -> Bytes16 {
        guard let set = Bytes16(Array(repeating: byte, count: Bytes16.count)) else { return .zero }
        return set
    }
}

/// A clock that a test sets.
final class SettableHostClock: HostClock {
    private let time = Mutex(HostTime(bootIdentifier: "first", secondsSinceBoot: 100, date: .referenceDate))

    var now: HostTime {
        get { time.withLock(\.self) }
        set { time.withLock { $0 = newValue } }
    }

    func advance(by seconds: Double) { time.withLock { $0.secondsSinceBoot += seconds } }
}

extension KeychainDevice {
    /// A device that answers what a test says.
    static func answering(
        hasPasscode: @escaping @Sendable () throws(KeychainError) -> Bool = { () throws(KeychainError) in true },
        unlock: @escaping @Sendable () throws(KeychainError) -> Void
    ) -> KeychainDevice {
        KeychainDevice { (command) throws(KeychainError) in
            switch command {
            case .status: return .deviceStatus(DeviceStatus(lockState: .locked, hasPasscode: try hasPasscode()))
            case .unlock: try unlock()
            default: break
            }
            return .done
        }
    }
}

/// Whether something happened.
final class Flag: Sendable {
    private let state = Mutex(false)

    var value: Bool {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }
}
