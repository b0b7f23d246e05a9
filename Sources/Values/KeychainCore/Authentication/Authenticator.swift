// SPDX-License-Identifier: Apache-2.0

/// Prompts the device's owner: a terminal, a dialog, a script of a test.
///
/// It shows prompts, and verifies nothing but biometry. The caller verifies passcodes and passwords.
package protocol Authenticator: Sendable {
    /// The biometry that it can request.
    ///
    /// It is read during a transaction of the keychain, and so must not use the keychain.
    var biometry: Biometry { get }

    /// Whether someone could type something now.
    var canAskForSecrets: Bool { get }

    /// Takes a place in the queue of the prompts that this authenticator shows, before the first of them.
    ///
    /// - Parameter cancellation: canceled by the authenticator if the user to be prompted is gone.
    /// - Returns: The place; `nil` if the maximum number of prompts are waiting, and no prompt is shown.
    func enqueue(_ cancellation: PromptCancellation) -> PromptTicket?

    /// Puts a question, and waits for the answer: until the prompt's time is over or it is cancelled, never longer.
    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply
}

extension Authenticator {
    /// One queue for all prompts.
    package func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? { PromptTicket() }
}

/// A place in a queue of prompts, which is given up when the object is deallocated.
package final class PromptTicket: Sendable {
    /// The number of the queue: the prompts of one queue are shown one after the other, those of different queues
    /// concurrently.
    package let queue: UInt64

    private let leave: @Sendable () -> Void

    /// Creates a place in a queue.
    ///
    /// - Parameters:
    ///   - queue: the number of the queue.
    ///   - leave: called when the place is given up.
    package init(queue: UInt64 = 0, leave: @escaping @Sendable () -> Void = {}) {
        self.queue = queue
        self.leave = leave
    }

    deinit { leave() }
}

/// A prompt to the user.
package struct AuthenticationPrompt: Sendable {
    /// What is requested.
    package var kind: Kind
    /// Why, in the program's words; may be empty.
    package var reason: String
    /// The label of the answer, such as "New passcode"; `nil` for the authenticator's own label.
    package var label: String?
    /// The title of the button that cancels; `nil` for the authenticator's own title.
    package var cancelTitle: String?
    /// The title of the button that falls back to the passcode; `nil` for the authenticator's own title, empty to hide
    /// it.
    package var fallbackTitle: String?
    /// The previous failure, shown to the user, for example that the passcode was wrong; `nil` for the first prompt.
    package var problem: String?
    /// How long to wait for an answer, in seconds.
    package var timeoutSeconds: Double
    /// Ends the question from another thread.
    package var cancellation: PromptCancellation

    /// A question.
    package init(
        _ kind: Kind,
        reason: String,
        label: String? = nil,
        cancelTitle: String? = nil,
        fallbackTitle: String? = nil,
        problem: String? = nil,
        timeoutSeconds: Double = Self.defaultTimeoutSeconds,
        cancellation: PromptCancellation = PromptCancellation()
    ) {
        self.kind = kind
        self.reason = reason
        self.label = label
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.problem = problem
        self.timeoutSeconds = timeoutSeconds
        self.cancellation = cancellation
    }

    /// Two minutes.
    package static let defaultTimeoutSeconds = 120.0

    /// The kinds of requests; raw values are part of messages.
    package enum Kind: UInt8, Sendable, Hashable {
        /// The device's passcode.
        case passcode = 1
        /// Biometry.
        case biometry = 2
        /// The password under which a program keeps an item.
        case applicationPassword = 3
        /// A new one, to be entered twice.
        case newApplicationPassword = 4
    }
}

/// The result of a prompt.
package enum AuthenticationReply: Sendable, Hashable {
    /// The typed answer.
    case secret(SecretBytes)
    /// Biometry: the user was recognized.
    case recognized
    /// Biometry: the user was not recognized.
    case notRecognized
    /// Biometry: the user chose to enter the passcode instead.
    case fallback
    /// The user refused.
    case cancelled
    /// The time was over, or ``PromptCancellation/cancel()`` was called.
    case ended
    /// Prompts are impossible.
    case unavailable
}
