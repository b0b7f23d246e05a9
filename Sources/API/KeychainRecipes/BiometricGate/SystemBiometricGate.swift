// SPDX-License-Identifier: Apache-2.0

import Foundation
public import PortableLocalAuthentication

/// A gate that prompts with the system's `LAContext`.
///
/// Each question has a context of its own: a pass counts once, not for the next five minutes.
public struct SystemBiometricGate: BiometricGate {
    private let policy: LAPolicy
    private let fallbackTitle: String?
    private let makeContext: @Sendable () -> LAContext

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - acceptsPasscode: whether the passcode of the device is accepted in place of a face or a finger.
    ///   - fallbackTitle: the title of the fallback button; an empty text for no such button, `nil` for the system's
    ///     text.
    ///   - makeContext: creates the context of a question.
    public init(
        acceptsPasscode: Bool = false,
        fallbackTitle: String? = nil,
        makeContext: @escaping @Sendable () -> LAContext = { LAContext() }
    ) {
        policy = acceptsPasscode ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        self.fallbackTitle = fallbackTitle
        self.makeContext = makeContext
    }

    /// Asks; when the task is cancelled, the question is withdrawn.
    public func ask(reason: String) async -> BiometricOutcome {
        // An empty reason is an exception on Apple platforms.
        guard !reason.isEmpty else { return .notInteractive }
        let question = SharedContext(makeContext())
        question.value.localizedFallbackTitle = fallbackTitle
        return await withTaskCancellationHandler {
            if Task.isCancelled { return .interrupted }
            do {
                return try await question.value.evaluatePolicy(policy, localizedReason: reason)
                    ? .passed : .notRecognized
            } catch {
                return BiometricOutcome(refusal: error)
            }
        } onCancel: {
            question.value.invalidate()
        }
    }

    /// Returns what prevents a prompt.
    public func obstacle() async -> BiometricOutcome? { obstacle(to: policy) }

    private func obstacle(to policy: LAPolicy) -> BiometricOutcome? {
        var error: NSError?
        if makeContext().canEvaluatePolicy(policy, error: &error) { return nil }
        return error.map { BiometricOutcome(refusal: $0) } ?? .notAvailable
    }

    /// The faces and fingers that are enrolled now.
    public func enrolment() async -> BiometricEnrolment? {
        let context = makeContext()
        // The state belongs to the last policy that was looked at, and only that of biometry has one.
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) else { return nil }
        return context.evaluatedPolicyDomainState.map(BiometricEnrolment.init)
    }

    /// Whether the enrolled biometry changed since an enrolment was stored, regardless of whether a passcode is
    /// accepted.
    public func change(since earlier: BiometricEnrolment) async -> BiometricEnrolment.Change {
        if let enrolment = await enrolment() { return enrolment == earlier ? .none : .changed }
        return obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == .notEnrolled ? .changed : .unknown
    }
}

extension BiometricOutcome {
    /// The outcome for an error of LocalAuthentication; never ``passed``.
    init(refusal error: any Error) {
        let error = error as NSError
        guard error.domain == LAErrorDomain, let code = LAError.Code(rawValue: error.code) else {
            self = .other(error.domain == LAErrorDomain ? error.code : 0)
            return
        }
        self =
            switch code {
            case .authenticationFailed: .notRecognized
            case .userCancel: .cancelled
            case .userFallback: .fallback
            case .systemCancel, .appCancel, .invalidContext: .interrupted
            case .biometryLockout: .lockedOut
            case .biometryNotEnrolled: .notEnrolled
            case .biometryNotAvailable: .notAvailable
            case .passcodeNotSet: .passcodeNotSet
            case .notInteractive: .notInteractive
            default: .other(code.rawValue)
            }
    }
}
