// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSecretService
import KeychainServer

/// Asks the user for the passcode when a program of the bus has the keychain, or items, unlocked.
///
/// The passcode is verified by the command that it is for, which counts it as an attempt.
struct PromptForUnlock: Sendable {
    private let choose: @Sendable (ProcessInstance) -> PromptPlace.Choice
    private let turns = PromptTurns()

    /// How often a question may be answered wrongly in one prompt.
    private static let maximumAttempts = 3

    /// Prompts where a choice says.
    init(_ place: PromptPlace) { choose = place.choice }

    /// Prompts with an authenticator.
    init(with authenticator: any Authenticator) { choose = { _ in PromptPlace.Choice(authenticator: authenticator) } }

    /// Asks, and waits for the user.
    func answer(_ prompt: UnlockPrompt) -> UnlockAnswer {
        let choice = choose(prompt.connection.peer.process)
        guard choice.authenticator.canAskForSecrets else { return .dismissed }
        guard let terminal = choice.terminal else { return answer(prompt, choice.authenticator) }
        return turns.wait(for: terminal, prompt.cancellation) { answer(prompt, choice.authenticator) } ?? .dismissed
    }

    private func answer(_ prompt: UnlockPrompt, _ authenticator: any Authenticator) -> UnlockAnswer {
        switch prompt.kind {
        case .unlock(let isKeychainLocked, let items):
            if isKeychainLocked, !unlock(prompt, authenticator) { return .dismissed }
            return items.isEmpty ? .done(nil) : authenticate(prompt, authenticator)
        case .password(let collection, let problem):
            return ask(
                .passcode,
                reason: "A program needs the keychain '\(collection)', which is locked.",
                label: "Password",
                problem: problem,
                prompt,
                with: authenticator
            )
        case .newPassword(let collection):
            return ask(
                .newApplicationPassword,
                reason: "A program creates the keychain '\(collection)'.",
                label: "New password",
                prompt,
                with: authenticator
            )
        }
    }

    private func ask(
        _ kind: AuthenticationPrompt.Kind,
        reason: String,
        label: String,
        problem: String? = nil,
        _ prompt: UnlockPrompt,
        with authenticator: any Authenticator
    ) -> UnlockAnswer {
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

    // MARK: - The keychain

    private func unlock(_ prompt: UnlockPrompt, _ authenticator: any Authenticator) -> Bool {
        let status = status(prompt.connection)
        // Another prompt may have unlocked it while this one waited for its turn.
        if status?.isLocked == false { return true }
        var problem = status?.delay.map { PasscodeProblem.tooSoon(seconds: $0).text }
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
                guard let next = PasscodeProblem(error) else { return false }
                problem = next.text
            }
        }
        return false
    }

    private func status(_ connection: FrontConnection) -> DeviceStatus? {
        let device = KeychainDevice { (command) throws(KeychainError) in try connection.perform(.device(command)) }
        guard let status = try? device.status() else { return nil }
        return status
    }

    // MARK: - Items

    /// Has the owner authenticate for items that need it, in a context that the program keeps.
    private func authenticate(_ prompt: UnlockPrompt, _ authenticator: any Authenticator) -> UnlockAnswer {
        let context = AuthenticationContext()
        let command = KeychainCommand.authentication(
            .evaluate(.policy(.deviceOwner), reason: "read items that need your passcode", context)
        )
        do throws(KeychainError) {
            let asked = DelayedAuthenticator(authenticator, prompt.cancellation) { status(prompt.connection)?.delay }
            _ = try prompt.connection.perform(command, prompting: asked)
            return .done(context)
        } catch {
            return .dismissed
        }
    }
}

extension DeviceStatus {
    /// The seconds until a passcode is looked at again after too many wrong ones; `nil` for none.
    fileprivate var delay: Double? { secondsUntilNextAttempt > 0 ? secondsUntilNextAttempt : nil }
}

/// Why a passcode has to be entered once more, in words for the user.
enum PasscodeProblem {
    case wrong(secondsUntilNext: Double)
    case tooSoon(seconds: Double)

    /// `nil` for an error after which there is nothing to ask.
    init?(_ error: KeychainError) {
        switch error.kind {
        case .device(.wrongPasscode(_, let seconds)): self = .wrong(secondsUntilNext: seconds)
        case .device(.attemptTooSoon(let seconds)): self = .tooSoon(seconds: seconds)
        case .device(.emptyPasscode): self = .wrong(secondsUntilNext: 0)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .wrong(0): "The passcode was wrong."
        case .wrong(let seconds): "The passcode was wrong. The next one is looked at in \(Self.text(seconds))."
        case .tooSoon(let seconds):
            "After wrong passcodes, the next one is looked at in \(Self.text(seconds)), and not before."
        }
    }

    /// A time in words, rounded up: an attempt then is not too early.
    private static func text(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        let (count, unit) = whole > 90 ? ((whole + 59) / 60, "minute") : (whole, "second")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}

/// Shows the questions of a command for a prompt: they end with it, and say how long a passcode is not looked at.
private struct DelayedAuthenticator: Authenticator {
    private let authenticator: any Authenticator
    private let cancellation: PromptCancellation
    private let delay: @Sendable () -> Double?

    init(
        _ authenticator: any Authenticator,
        _ cancellation: PromptCancellation,
        delay: @escaping @Sendable () -> Double?
    ) {
        self.authenticator = authenticator
        self.cancellation = cancellation
        self.delay = delay
    }

    var biometry: Biometry { authenticator.biometry }

    var canAskForSecrets: Bool { authenticator.canAskForSecrets }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let handler = cancellation.onCancel { prompt.cancellation.cancel() }
        defer { cancellation.removeHandler(handler) }
        var prompt = prompt
        if prompt.kind == .passcode, let seconds = delay() {
            prompt.problem = PasscodeProblem.tooSoon(seconds: seconds).text
        }
        return authenticator.ask(prompt)
    }
}
