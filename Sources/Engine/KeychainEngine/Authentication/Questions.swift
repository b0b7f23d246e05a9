// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The prompts of one evaluation, and the handling of their answers.
///
/// What is shown is recorded in the context.
struct Questions {
    private let authenticator: any Authenticator
    private let context: ContextState
    private let reason: String
    private let cancellation: PromptCancellation

    /// The number of prompts for the same thing before the evaluation fails.
    static let attempts = 3

    init(
        to authenticator: any Authenticator,
        context: ContextState,
        reason: String,
        cancellation: PromptCancellation
    ) {
        self.authenticator = authenticator
        self.context = context
        self.reason = reason
        self.cancellation = cancellation
    }

    /// How an evaluation fails whose question was ended before it was answered.
    var end: AuthenticationFailure { context.isInvalid ? .appCancel : .systemCancel }

    /// Prompts for biometry until a user is recognized.
    ///
    /// - Returns: The set that was enrolled.
    func recognition() throws(AuthenticationFailure) -> Bytes16 {
        var problem: String?
        for _ in 0..<Self.attempts {
            let biometry = authenticator.biometry
            if let obstacle = biometry.obstacle { throw obstacle }
            if try isRecognized(problem: problem) {
                // If the set changed during the prompt, the recognition is not valid for any set.
                guard let set = biometry.enrolledSet, authenticator.biometry.enrolledSet == set else {
                    throw .authenticationFailed
                }
                context.record(.biometry(enrolledSet: set))
                return set
            }
            problem = "You were not recognized."
        }
        throw authenticator.biometry.obstacle ?? .authenticationFailed
    }

    /// Prompts for the passcode until the device accepts one.
    func passcode(judgedBy device: KeychainDevice) throws(AuthenticationFailure) {
        var problem: String?
        for _ in 0..<Self.attempts {
            let passcode = try secret(.passcode, problem: problem)
            if try isRight(passcode, device) {
                context.record(.passcode)
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

    /// Whether the device accepts a passcode; `false` if another one may be tried.
    private func isRight(_ passcode: SecretBytes, _ device: KeychainDevice) throws(AuthenticationFailure) -> Bool {
        do throws(KeychainError) {
            try device.unlock(passcode: passcode)
            // A device whose passcode has just been removed accepts any.
            guard try device.status().hasPasscode else { throw KeychainError(DeviceError.noPasscode) }
            return true
        } catch {
            switch error.kind {
            case .device(.wrongPasscode(_, secondsUntilNextAttempt: 0)), .device(.emptyPasscode): return false
            case .device(.wrongPasscode), .device(.attemptTooSoon), .device(.erased): throw .authenticationFailed
            case .device(.noPasscode): throw .passcodeNotSet
            // Not verified: there were too many wrong ones (DeviceOptions.attemptLimit).
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
        // Something other than what was requested.
        case .secret, .recognized, .notRecognized: .authenticationFailed
        }
    }
}
