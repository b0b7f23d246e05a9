// SPDX-License-Identifier: Apache-2.0

public import Foundation
@_exported public import PortableSecurity
import Synchronization

/// Asks the owner of the device to authenticate.
///
/// - Important: This version's device has neither a passcode nor biometry, and a context answers as Apple's does on such
///   a device: ``LAError/passcodeNotSet``, ``LAError/biometryNotAvailable``. Nobody is ever asked.
open class LAContext: NSObject, @unchecked Sendable {
    // What makes the class Sendable: all of its state is in here.
    private let state = Mutex(State())

    /// A context in which nobody has authenticated.
    public override init() { super.init() }

    /// Says whether a policy could be evaluated now.
    ///
    /// - Parameters:
    ///   - policy: what the person would have to show.
    ///   - error: receives why not.
    /// - Returns: Whether there is a way; here always `false`.
    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        error?.pointee = obstacle(to: policy) as NSError
        return false
    }

    /// Asks the person, and calls back on a queue of the system.
    ///
    /// - Parameters:
    ///   - policy: what the person has to show.
    ///   - localizedReason: why, for the person to read.
    ///   - reply: receives the outcome; an error is an ``LAError``.
    @preconcurrency
    open func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let error = obstacle(to: policy)
        DispatchQueue.global().async { reply(false, error) }
    }

    /// Asks the person.
    ///
    /// - Parameters:
    ///   - policy: what the person has to show.
    ///   - localizedReason: why, for the person to read.
    /// - Returns: `true`; every other outcome is an error.
    /// - Throws: ``LAError``.
    @discardableResult
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await outcome { reply in evaluatePolicy(policy, localizedReason: localizedReason, reply: reply) }
    }

    /// Asks for what an access control demands, and calls back on a queue of the system.
    ///
    /// - Parameters:
    ///   - accessControl: the constraints; without any the outcome is success.
    ///   - operation: what is to be done under it.
    ///   - localizedReason: why, for the person to read.
    ///   - reply: receives the outcome; an error is an ``LAError``.
    @preconcurrency
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let isFree = !accessControl.requiresAuthentication && !isInvalid
        let error = isFree ? nil : obstacle(to: .deviceOwnerAuthentication)
        DispatchQueue.global().async { reply(isFree, error) }
    }

    /// Asks for what an access control demands.
    ///
    /// - Parameters:
    ///   - accessControl: the constraints; without any the outcome is success.
    ///   - operation: what is to be done under it.
    ///   - localizedReason: why, for the person to read.
    /// - Returns: `true`; every other outcome is an error.
    /// - Throws: ``LAError``.
    @discardableResult
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String
    ) async throws -> Bool {
        try await outcome { reply in
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason, reply: reply)
        }
    }

    /// Ends the use of the context: later evaluations fail with ``LAError/invalidContext``.
    open func invalidate() { state.withLock { $0.isInvalid = true } }

    /// Sets a credential that the program supplies.
    ///
    /// - Returns: Whether it was taken; here always `false`, because nothing could use it.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool { false }

    /// Whether a credential of a type is set; here always `false`.
    open func isCredentialSet(_ type: LACredentialType) -> Bool { false }

    /// The biometry of the device: none.
    open var biometryType: LABiometryType { .none }

    /// The state of the enrolled biometry: `nil`, as there is none.
    open var evaluatedPolicyDomainState: Data? { nil }

    /// Whether asking the person is forbidden.
    open var interactionNotAllowed: Bool {
        get { state.withLock(\.interactionNotAllowed) }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// Why the person is asked, when a keychain query does the asking.
    open var localizedReason: String {
        get { state.withLock(\.localizedReason) }
        set { state.withLock { $0.localizedReason = newValue } }
    }

    /// The title of the fallback button; empty hides it.
    open var localizedFallbackTitle: String? {
        get { state.withLock(\.localizedFallbackTitle) }
        set { state.withLock { $0.localizedFallbackTitle = newValue } }
    }

    /// The title of the cancel button.
    open var localizedCancelTitle: String? {
        get { state.withLock(\.localizedCancelTitle) }
        set { state.withLock { $0.localizedCancelTitle = newValue } }
    }

    /// For how many seconds an earlier unlock by biometry counts; at most
    /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock(\.reuseDuration) }
        set {
            let longest = LATouchIDAuthenticationMaximumAllowableReuseDuration
            state.withLock { $0.reuseDuration = min(max(newValue, 0), longest) }
        }
    }

    private var isInvalid: Bool { state.withLock(\.isInvalid) }

    /// Why a policy cannot be evaluated.
    private func obstacle(to policy: LAPolicy) -> LAError {
        if isInvalid { return LAError(.invalidContext) }
        return switch policy {
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            LAError(.biometryNotAvailable)
        case .deviceOwnerAuthentication: LAError(.passcodeNotSet)
        case .deviceOwnerAuthenticationWithCompanion, .deviceOwnerAuthenticationWithWristDetection:
            LAError(.companionNotAvailable)
        }
    }

    private func outcome(
        _ evaluate: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluate { isSuccess, error in
                if isSuccess {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(throwing: error ?? LAError(.authenticationFailed))
                }
            }
        }
    }

    private struct State {
        var isInvalid = false
        var interactionNotAllowed = false
        var localizedReason = ""
        var localizedFallbackTitle: String?
        var localizedCancelTitle: String?
        var reuseDuration: TimeInterval = 0
    }
}
