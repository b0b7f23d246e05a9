// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSecretService
import KeychainServer

/// Asks the user for the passcode when a program of the bus has the keychain, or items, unlocked.
///
/// The passcode is verified by the command that it is for, which counts it as an attempt.
struct PromptForUnlock: Sendable {
    private let authenticator: any Authenticator

    /// How often a wrong passcode may be corrected in one prompt.
    private static let maximumAttempts = 3

    /// Prompts with a program, or else in the way that the daemon's environment specifies.
    init(pinentry: String?) {
        self.init(with: pinentry.map { PinentryAuthenticator(path: $0) } ?? ProcessAuthenticator())
    }

    /// Prompts with an authenticator.
    init(with authenticator: any Authenticator) { self.authenticator = authenticator }

    /// Asks, and waits for the user.
    func answer(_ prompt: UnlockPrompt) -> UnlockAnswer {
        guard authenticator.canAskForSecrets else { return .dismissed }
        switch prompt.kind {
        case .unlock(let isKeychainLocked, let items):
            if isKeychainLocked, !unlock(prompt) { return .dismissed }
            guard !items.isEmpty else { return .done(nil) }
            return authenticate(prompt)
        case .password(let collection, let problem):
            return ask(.passcode, "A program needs the keychain '\(collection)', which is locked.", problem, prompt)
        case .newPassword(let collection):
            return ask(.newApplicationPassword, "A program creates the keychain '\(collection)'.", nil, prompt)
        }
    }

    private func ask(
        _ kind: AuthenticationPrompt.Kind,
        _ reason: String,
        _ problem: String?,
        _ prompt: UnlockPrompt
    ) -> UnlockAnswer {
        let label = kind == .passcode ? "Password" : "New password"
        let question = AuthenticationPrompt(
            kind,
            reason: reason,
            label: label,
            problem: problem,
            cancellation: prompt.cancellation
        )
        guard case .secret(let password) = authenticator.ask(question) else { return .dismissed }
        return .password(password)
    }

    private func unlock(_ prompt: UnlockPrompt) -> Bool {
        var problem: String?
        for _ in 0..<Self.maximumAttempts {
            let question = AuthenticationPrompt(
                .passcode,
                reason: "A program needs the keychain, which is locked.",
                problem: problem,
                cancellation: prompt.cancellation
            )
            guard case .secret(let passcode) = authenticator.ask(question) else { return false }
            do throws(KeychainError) {
                _ = try prompt.connection.perform(.device(.unlock(passcode)))
                return true
            } catch {
                guard case .device(.wrongPasscode) = error.kind else { return false }
                problem = "The passcode was wrong."
            }
        }
        return false
    }

    /// Has the owner authenticate for items that need it, in a context that the program keeps.
    private func authenticate(_ prompt: UnlockPrompt) -> UnlockAnswer {
        let context = AuthenticationContext()
        let command = KeychainCommand.authentication(
            .evaluate(.policy(.deviceOwner), reason: "read items that need your passcode", context)
        )
        do throws(KeychainError) {
            _ = try prompt.connection.perform(command, prompting: authenticator)
            return .done(context)
        } catch {
            return .dismissed
        }
    }
}
