// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// The daemon's questions during a command: each is asked on a thread of its own, so that the daemon can cancel it, and
/// no prompt stays open when the daemon exits.
final class DaemonQuestions: Sendable {
    private let authenticator: any Authenticator
    private let send: @Sendable (WireMessage) -> Void
    private let state = Mutex(State())
    private let answered = DispatchSemaphore(value: 0)

    private let patience: @Sendable () -> Deadline

    private struct State {
        var open: (number: UInt64, cancellation: PromptCancellation)?
    }

    /// Creates questions for an authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: the user prompts.
    ///   - patience: the time limit for cancelling a question from now on, after which its answer is ignored.
    ///   - send: sends the answers.
    init(
        _ authenticator: any Authenticator,
        patience: @escaping @Sendable () -> Deadline,
        send: @escaping @Sendable (WireMessage) -> Void
    ) {
        self.authenticator = authenticator
        self.patience = patience
        self.send = send
    }

    /// Whether a question is open.
    var isAsking: Bool { state.withLock { $0.open != nil } }

    /// Asks a question.
    func ask(_ number: UInt64, _ prompt: WirePrompt) {
        // Sequential: the daemon asks again only after an answer.
        end()
        let cancellation = PromptCancellation()
        state.withLock { $0.open = (number, cancellation) }
        let isStarted = HostThread.start { [self] in
            let reply = authenticator.ask(prompt.prompt(cancellation))
            // If it was not waited for, the connection may carry another command by now.
            guard isOpen(number) else { return }
            send(.promptReply(number, reply))
            state.withLock { if $0.open?.number == number { $0.open = nil } }
            answered.signal()
        }
        guard !isStarted else { return }
        state.withLock { $0.open = nil }
        send(.promptReply(number, .unavailable))
    }

    /// Cancels a question; its answer reports that.
    func end(_ number: UInt64) {
        state.withLock { $0.open?.number == number ? $0.open?.cancellation : nil }?.cancel()
    }

    /// Cancels the open question, and waits until its prompt has disappeared; with a timeout, because the program's
    /// authenticator may ignore the cancellation.
    func end() {
        let deadline = patience()
        while let open = state.withLock(\.open) {
            open.cancellation.cancel()
            guard deadline.isOver else {
                _ = answered.wait(until: deadline)
                continue
            }
            state.withLock { if $0.open?.number == open.number { $0.open = nil } }
        }
    }

    private func isOpen(_ number: UInt64) -> Bool { state.withLock { $0.open?.number == number } }

    /// Reports which biometry is available, and whether a user could type.
    func sendStatus(_ number: UInt64) {
        send(
            .authenticator(number, authenticator.biometry, canAskForSecrets: authenticator.canAskForSecrets)
        )
    }
}
