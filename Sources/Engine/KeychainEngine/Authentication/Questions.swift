// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The questions of one evaluation, and what their answers mean.
///
/// What is shown is noted in the context.
struct Questions {
    private let authenticator: any Authenticator
    private let context: ContextState
    private let reason: String
    private let cancellation: PromptCancellation

    /// How often the same may be asked for before it counts as failed.
    static let attempts = 3

    init(
        _ authenticator: any Authenticator,
        _ context: ContextState,
        reason: String,
        _ cancellation: PromptCancellation
    ) {
        self.authenticator = authenticator
        self.context = context
        self.reason = reason
        self.cancellation = cancellation
    }

    /// How an evaluation fails whose question was ended before it was answered.
    var end: AuthenticationFailure { context.isInvalid ? .appCancel : .systemCancel }

    /// Asks for biometry until somebody is recognized.
    ///
    /// - Returns: The set that was enrolled.
    func recognition() throws(AuthenticationFailure) -> Bytes16 {
        var problem: String?
        for _ in 0..<Self.attempts {
            let biometry = authenticator.biometry
            if let obstacle = biometry.obstacle { throw obstacle }
            if try isRecognized(problem: problem) {
                // A set that changed under the question is nobody's.
                guard let set = biometry.enrolledSet, authenticator.biometry.enrolledSet == set else {
                    throw .authenticationFailed
                }
                context.note(.biometry(enrolledSet: set))
                return set
            }
            problem = "You were not recognized."
        }
        throw authenticator.biometry.obstacle ?? .authenticationFailed
    }

    /// Asks for the passcode until the device takes one.
    func passcode(judgedBy device: KeychainDevice) throws(AuthenticationFailure) {
        var problem: String?
        for _ in 0..<Self.attempts {
            let passcode = try secret(.passcode, problem: problem)
            if try isRight(passcode, device) {
                context.note(.passcode)
                return
            }
            problem = "The passcode is wrong."
        }
        throw .authenticationFailed
    }

    /// Asks for something that is typed.
    func secret(
        _ kind: AuthenticationPrompt.Kind,
        problem: String?
    ) throws(AuthenticationFailure) -> SecretBytes {
        switch ask(kind, problem) {
        case .secret(let secret):
            guard !context.isInvalid else { throw .appCancel }
            return secret
        case let reply: throw failure(reply)
        }
    }

    private func isRecognized(problem: String?) throws(AuthenticationFailure) -> Bool {
        switch ask(.biometry, problem) {
        case .recognized:
            guard !context.isInvalid else { throw .appCancel }
            return true
        case .notRecognized: return false
        case let reply: throw failure(reply)
        }
    }

    /// Whether the device takes a passcode; `false` when another one may be tried.
    private func isRight(_ passcode: SecretBytes, _ device: KeychainDevice) throws(AuthenticationFailure) -> Bool {
        do throws(KeychainError) {
            try device.unlock(passcode: passcode)
            // A device whose passcode has just been removed takes any.
            guard try device.status().hasPasscode else { throw KeychainError(DeviceError.noPasscode) }
            return true
        } catch {
            switch error.kind {
            case .device(.wrongPasscode(_, secondsUntilNextAttempt: 0)), .device(.emptyPasscode): return false
            case .device(.wrongPasscode), .device(.attemptTooSoon), .device(.erased): throw .authenticationFailed
            case .device(.noPasscode): throw .passcodeNotSet
            // Not judged: too many were wrong (DeviceOptions.attemptLimit).
            case _ where error.status == .authenticationFailed: throw .authenticationFailed
            default: throw .systemCancel
            }
        }
    }

    private func ask(_ kind: AuthenticationPrompt.Kind, _ problem: String?) -> AuthenticationReply {
        let settings = context.settings
        return authenticator.ask(
            AuthenticationPrompt(
                kind,
                reason: reason,
                cancelTitle: settings.localizedCancelTitle,
                fallbackTitle: settings.localizedFallbackTitle,
                problem: problem,
                cancellation: cancellation
            )
        )
    }

    private func failure(_ reply: AuthenticationReply) -> AuthenticationFailure {
        switch reply {
        case .cancelled: .userCancel
        case .ended: end
        case .unavailable: .notInteractive
        case .fallback: .userFallback
        // Something else than what was asked for.
        case .secret, .recognized, .notRecognized: .authenticationFailed
        }
    }
}
