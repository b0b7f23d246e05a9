// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore
package import KeychainServices
@_exported public import PortableSecurity
import Synchronization

/// Prompts the owner of the device to authenticate.
///
/// An authentication in a context stays valid in it: a second evaluation, or a keychain query that names the context
/// with `kSecUseAuthenticationContext`, does not prompt again. All members are thread-safe; evaluations in one context
/// do not wait for each other.
///
/// - Important: The article on lock states and owners in the module `PortableSecurity` describes who is prompted, and
///   how. If prompting is not possible, an evaluation that would have to prompt fails immediately with
///   ``LAError/notInteractive``.
open class LAContext: NSObject, @unchecked Sendable {
    /// Its storage.
    package let authenticationContext = ClientContext()

    // Makes the class Sendable, together with the context above: all other state is in here.
    private let found = Mutex(Found())

    private struct Found {
        var biometryType = LABiometryType.none
        var evaluatedPolicyDomainState: Data?
        var maxBiometryFailures: Int?
    }

    /// A context without any authentication.
    public override init() { super.init() }

    /// Returns whether a policy could be evaluated now; never prompts.
    ///
    /// - Parameters:
    ///   - policy: the policy.
    ///   - error: receives the reason why not, an ``LAError``; unchanged otherwise.
    /// - Returns: Whether it could be evaluated.
    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let keychain = Evaluation.keychainInEffect
        let service = keychain.authentication
        let biometry = service.biometry
        let isInvalid = authenticationContext.isInvalid
        let obstacle =
            isInvalid
            ? .invalidContext : service.obstacle(to: policy.demand, authenticationContext.value(for: keychain))
        found.withLock { found in
            found.biometryType = LABiometryType(biometry.kind)
            guard policy.isBiometric else { return }
            found.evaluatedPolicyDomainState = obstacle == nil ? biometry.stateHash : nil
        }
        guard let obstacle else { return true }
        error?.pointee = LAError(obstacle)._nsError
        return false
    }

    /// Prompts the user, unless the policy is already satisfied in the context.
    ///
    /// Returns immediately. Apple's function raises an exception, which ends the program, if the reason is empty; this
    /// one then does not prompt, and replies with ``LAError/notInteractive``.
    ///
    /// - Parameters:
    ///   - policy: the policy.
    ///   - localizedReason: the reason, shown to the user; not empty.
    ///   - reply: receives the outcome, once, on a private queue; an error is an ``LAError``.
    @preconcurrency
    open func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let evaluation = Evaluation(context: authenticationContext, reason: localizedReason)
        evaluation.start { [self] service, context throws(AuthenticationFailure) in
            do throws(AuthenticationFailure) {
                try service.evaluate(policy.demand, reason: localizedReason, context)
                updateDomainState(after: policy, service)
            } catch {
                found.withLock { $0.evaluatedPolicyDomainState = nil }
                throw error
            }
        } reply: {
            reply($0 == nil, $0)
        }
    }

    /// Prompts the user, unless the policy is already satisfied in the context.
    ///
    /// No thread of the task waits for the answer. Cancelling the task does not end a prompt; ``invalidate()`` does.
    ///
    /// - Parameters:
    ///   - policy: the policy.
    ///   - localizedReason: the reason, shown to the user; not empty.
    /// - Returns: `true`; every other outcome is an error.
    /// - Throws: ``LAError``.
    @discardableResult
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await outcome { reply in evaluatePolicy(policy, localizedReason: localizedReason, reply: reply) }
    }

    /// Prompts for the constraints of an access control, unless they are already satisfied in the context.
    ///
    /// Returns immediately. Creating an item or a key never prompts: ``LAAccessControlOperation/createItem`` and
    /// ``LAAccessControlOperation/createKey`` succeed, unless the level or the constraints need a passcode and none is
    /// set. Every use requires the constraints; without any it succeeds. An empty reason is handled as in
    /// ``evaluatePolicy(_:localizedReason:reply:)``.
    ///
    /// - Parameters:
    ///   - accessControl: the constraints.
    ///   - operation: the operation to perform.
    ///   - localizedReason: the reason, shown to the user; not empty.
    ///   - reply: receives the outcome, once, on a private queue; an error is an ``LAError``.
    @preconcurrency
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl,
        operation: LAAccessControlOperation,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let value = accessControl.value
        let evaluation = Evaluation(context: authenticationContext, reason: localizedReason)
        evaluation.start { service, context throws(AuthenticationFailure) in
            if operation.isUse {
                try service.evaluate(value, reason: localizedReason, context)
            } else if let obstacle = service.obstacle(toStoringUnder: value, context) {
                throw obstacle
            }
        } reply: {
            reply($0 == nil, $0)
        }
    }

    /// Prompts for the constraints of an access control, unless they are already satisfied in the context.
    ///
    /// - Parameters:
    ///   - accessControl: the constraints.
    ///   - operation: the operation to perform.
    ///   - localizedReason: the reason, shown to the user; not empty.
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

    /// Ends the use of the context, and discards the authentications in it.
    ///
    /// Evaluations that have not replied yet fail with ``LAError/appCancel``, later ones with
    /// ``LAError/invalidContext``.
    open func invalidate() { authenticationContext.invalidate() }

    /// Sets or removes a credential that the program supplies, so that the user is not prompted for it.
    ///
    /// - Parameters:
    ///   - credential: the bytes of the credential; `nil` removes it.
    ///   - type: the kind of credential.
    /// - Returns: Whether it was accepted: an application password, in a context that is not invalidated.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        guard type == .applicationPassword else { return false }
        return authenticationContext.setApplicationPassword(
            credential.map { credential in credential.withUnsafeBytes { SecretBytes(copying: $0) } }
        )
    }

    /// Whether a credential of a type is set.
    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        type == .applicationPassword && authenticationContext.hasApplicationPassword
    }

    /// The kind of biometry that the device has.
    ///
    /// As on Apple's platforms it is ``LABiometryType/none`` until ``canEvaluatePolicy(_:error:)`` was called, and what
    /// that function found afterwards, whatever it returned.
    open var biometryType: LABiometryType { found.withLock(\.biometryType) }

    /// The enrolled biometry when it was last requested: different data after each change of the enrolment.
    ///
    /// As on Apple's platforms it is set when the user was recognized in an evaluation, and when
    /// ``canEvaluatePolicy(_:error:)`` returned `true` for a biometric policy; `nil` after any other evaluation.
    open var evaluatedPolicyDomainState: Data? { found.withLock(\.evaluatedPolicyDomainState) }

    /// The current enrolment and paired devices.
    open var domainState: LADomainState { LADomainState(Evaluation.keychainInEffect.authentication.biometry) }

    /// Whether prompts are forbidden: what would prompt fails with ``LAError/notInteractive``.
    open var interactionNotAllowed: Bool {
        get { authenticationContext.settings.interactionNotAllowed }
        set { authenticationContext.configure { $0.interactionNotAllowed = newValue } }
    }

    /// The reason shown in a prompt that a keychain query causes.
    open var localizedReason: String {
        get { authenticationContext.settings.localizedReason }
        set { authenticationContext.configure { $0.localizedReason = newValue } }
    }

    /// The title of the fallback button; empty hides it, `nil` is the usual one.
    open var localizedFallbackTitle: String? {
        get { authenticationContext.settings.localizedFallbackTitle }
        set { authenticationContext.configure { $0.localizedFallbackTitle = newValue } }
    }

    /// The title of the cancel button; `nil` is the usual one.
    open var localizedCancelTitle: String? {
        get { authenticationContext.settings.localizedCancelTitle }
        set { authenticationContext.configure { $0.localizedCancelTitle = newValue } }
    }

    /// The number of seconds for which an earlier biometric recognition counts.
    ///
    /// At most ``LATouchIDAuthenticationMaximumAllowableReuseDuration``, to which a longer time is reduced; 0, the
    /// default, and anything not above it mean that none counts.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { authenticationContext.settings.reuseDurationSeconds }
        set {
            // A comparison that NaN fails.
            let seconds = newValue > 0 ? min(newValue, LATouchIDAuthenticationMaximumAllowableReuseDuration) : 0
            authenticationContext.configure { $0.reuseDurationSeconds = seconds }
        }
    }

    /// The number of failed attempts before the fallback: stored without effect, as on Apple's platforms since iOS 9.
    open var maxBiometryFailures: NSNumber? {
        get { found.withLock(\.maxBiometryFailures).map { NSNumber(value: $0) } }
        set { found.withLock { [failures = newValue?.intValue] in $0.maxBiometryFailures = failures } }
    }

    private func updateDomainState(after policy: LAPolicy, _ service: AuthenticationService) {
        let biometry = service.biometry
        let shown = service.status(of: authenticationContext.value.identifier).shown
        let wasRecognized = biometry.enrolledSet.map { shown.contains(.biometry(enrolledSet: $0)) } ?? false
        let state = policy.isBiometric || wasRecognized ? biometry.stateHash : nil
        found.withLock { $0.evaluatedPolicyDomainState = state }
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
}

extension LAContext: AuthenticationContextHolder {}
