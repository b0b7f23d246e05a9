// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostFiles
import KeychainCore
import KeychainWire
import Synchronization

/// What the daemon asks in the course of a command: the question is put on a thread of its own, so that the daemon can end
/// it, and so that nothing stays open when the daemon goes.
final class OpenQuestions: Sendable {
    private let authenticator: any Authenticator
    private let send: @Sendable (WireMessage) -> Void
    private let state = Mutex(State())
    private let answered = DispatchSemaphore(value: 0)

    private struct State {
        var open: (number: UInt64, cancellation: PromptCancellation)?
    }

    /// Questions to an authenticator, whose answers are sent by `send`.
    init(_ authenticator: any Authenticator, send: @escaping @Sendable (WireMessage) -> Void) {
        self.authenticator = authenticator
        self.send = send
    }

    /// Whether a question is open.
    var isAsking: Bool { state.withLock { $0.open != nil } }

    /// Puts a question.
    func ask(_ number: UInt64, _ prompt: WirePrompt) {
        // One after the other: the daemon asks again only after an answer.
        end()
        let cancellation = PromptCancellation()
        state.withLock { $0.open = (number, cancellation) }
        let isStarted = HostThread.start { [self] in
            let reply = authenticator.ask(prompt.prompt(cancellation))
            send(.promptReply(number, reply))
            state.withLock { $0.open = nil }
            answered.signal()
        }
        guard !isStarted else { return }
        state.withLock { $0.open = nil }
        send(.promptReply(number, .unavailable))
    }

    /// Ends a question, whose answer says so then.
    func end(_ number: UInt64) {
        state.withLock { $0.open?.number == number ? $0.open?.cancellation : nil }?.cancel()
    }

    /// Ends the question that is open, and waits until it has gone from the screen.
    func end() {
        while let open = state.withLock(\.open) {
            open.cancellation.cancel()
            _ = answered.wait(timeout: .now() + .seconds(1))
        }
    }

    /// Says which biometry there is, and whether anyone could type.
    func sendStatus(_ number: UInt64) {
        send(
            .authenticator(number, authenticator.biometry, canAskForSecrets: authenticator.canAskForSecrets)
        )
    }
}
