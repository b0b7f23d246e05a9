// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSecretService
import KeychainServer

/// Asks the user for the passcode, or for a password, when a program of the bus has something unlocked.
///
/// It is verified while it is the prompt's turn, by the command that it is for, which counts it as an attempt.
struct PromptForUnlock: Sendable {
    private let choose: @Sendable (ProcessInstance) -> PromptPlace.Choice
    private let turns = PromptTurns()

    /// Prompts where a choice says.
    init(_ place: PromptPlace) { choose = place.choice }

    /// Prompts with an authenticator, on a terminal by its number if that is given.
    init(with authenticator: any Authenticator, on terminal: UInt32? = nil) {
        choose = { _ in PromptPlace.Choice(authenticator: authenticator, terminal: terminal) }
    }

    /// Asks, and waits for the user.
    func answer(_ prompt: UnlockPrompt) -> UnlockAnswer {
        let choice = choose(prompt.connection.peer.process)
        guard choice.authenticator.canAskForSecrets else { return .dismissed }
        guard let terminal = choice.terminal else { return answer(prompt, choice.authenticator) }
        return turns.wait(for: terminal, prompt.cancellation) { answer(prompt, choice.authenticator) } ?? .dismissed
    }

    private func answer(_ prompt: UnlockPrompt, _ authenticator: any Authenticator) -> UnlockAnswer {
        switch prompt.kind {
        case .keychain:
            let reason = "\(prompt.program) needs the keychain, which is locked."
            return open(.keychain(of: prompt.connection), reason: reason, prompt, with: authenticator)
                ? .done(nil) : .dismissed
        case .items: return authenticate(prompt, authenticator)
        case .password(let collection):
            let reason = "\(prompt.program) needs the keychain '\(collection)', which is locked."
            guard let lock = prompt.lock, open(lock, reason: reason, label: "Password", prompt, with: authenticator)
            else {
                return .dismissed
            }
            return .done(nil)
        case .newPassword(let collection):
            let question = AuthenticationPrompt(
                .newApplicationPassword,
                reason: "\(prompt.program) creates the keychain '\(collection)'.",
                label: "New password",
                cancellation: prompt.cancellation
            )
            guard case .secret(let password) = authenticator.ask(question) else { return .dismissed }
            return .password(password)
        }
    }

    /// Has the user type the password of a lock until that is open.
    private func open(
        _ lock: PasswordLock,
        reason: String,
        label: String? = nil,
        _ prompt: UnlockPrompt,
        with authenticator: any Authenticator
    ) -> Bool {
        lock.open { problem in
            let question = AuthenticationPrompt(
                .passcode,
                reason: reason,
                label: label,
                problem: problem,
                cancellation: prompt.cancellation
            )
            guard case .secret(let password) = authenticator.ask(question) else { return nil }
            return password
        }
    }

    /// Has the owner authenticate for items that need it, in a context that the program keeps.
    private func authenticate(_ prompt: UnlockPrompt, _ authenticator: any Authenticator) -> UnlockAnswer {
        let context = AuthenticationContext()
        let command = KeychainCommand.authentication(
            .evaluate(.policy(.deviceOwner), reason: "read items that need your passcode", context)
        )
        do throws(KeychainError) {
            let asked = DelayedAuthenticator(authenticator, prompt.cancellation) {
                prompt.connection.deviceStatus?.delay
            }
            _ = try prompt.connection.perform(command, prompting: asked)
            return .done(context)
        } catch {
            return .dismissed
        }
    }
}

extension UnlockPrompt {
    /// The program that asks, as a text begins with it.
    fileprivate var program: String {
        connection.peer.programName.map { "'\(PlainText.shown($0, atMost: Self.longestName))'" } ?? "A program"
    }

    private static let longestName = 200
}

extension PasswordLock {
    /// That of the keychain.
    fileprivate static func keychain(of connection: FrontConnection) -> PasswordLock {
        PasswordLock(
            state: {
                guard let status = connection.deviceStatus else { return .locked(problem: nil) }
                guard status.isLocked else { return .open }
                return .locked(problem: status.delay.map { PasscodeProblem.tooSoon(seconds: $0).text })
            },
            unlock: { passcode throws(KeychainError) in _ = try connection.perform(.device(.unlock(passcode))) },
            problem: { PasscodeProblem($0)?.text }
        )
    }
}

extension FrontConnection {
    /// `nil` if it cannot be found out.
    fileprivate var deviceStatus: DeviceStatus? {
        let device = KeychainDevice { (command) throws(KeychainError) in try self.perform(.device(command)) }
        return try? device.status()
    }
}

extension DeviceStatus {
    /// The seconds until a passcode is accepted again after too many wrong ones; `nil` for none.
    fileprivate var delay: Double? { secondsUntilNextAttempt > 0 ? secondsUntilNextAttempt : nil }
}
