// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostFiles
import KeychainCore
import KeychainWire
import Synchronization

/// What the daemon asks in the course of a command: the question is put on a thread of its own, so that the daemon can
/// end it, and so that nothing stays open when the daemon goes.
final class OpenQuestions: Sendable {
    private let authenticator: any Authenticator
    private let send: @Sendable (WireMessage) -> Void
    private let state = Mutex(State())
    private let answered = DispatchSemaphore(value: 0)

    private let patienceMilliseconds: Int32

    private struct State {
        var open: (number: UInt64, cancellation: PromptCancellation)?
    }

    /// Questions to an authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: the user prompts.
    ///   - patienceMilliseconds: how long it may take to end a question, after which its answer counts for nothing.
    ///   - send: sends the answers.
    init(
        _ authenticator: any Authenticator,
        patienceMilliseconds: Int32,
        send: @escaping @Sendable (WireMessage) -> Void
    ) {
        self.authenticator = authenticator
        self.patienceMilliseconds = patienceMilliseconds
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
            // Where it was not waited for, the connection may carry another command by now.
            guard isOpen(number) else { return }
            send(.promptReply(number, reply))
            state.withLock { if $0.open?.number == number { $0.open = nil } }
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

    /// Ends the question that is open, and waits until it has gone from the screen; not for ever, as an authenticator
    /// of the program may ignore that it was ended.
    func end() {
        let deadline = Deadline(milliseconds: patienceMilliseconds)
        while let open = state.withLock(\.open) {
            open.cancellation.cancel()
            let left = Int(deadline.millisecondsLeft)
            guard left == 0 else {
                _ = answered.wait(timeout: .now() + .milliseconds(left))
                continue
            }
            state.withLock { if $0.open?.number == open.number { $0.open = nil } }
        }
    }

    private func isOpen(_ number: UInt64) -> Bool { state.withLock { $0.open?.number == number } }

    /// Says which biometry there is, and whether anyone could type.
    func sendStatus(_ number: UInt64) {
        send(
            .authenticator(number, authenticator.biometry, canAskForSecrets: authenticator.canAskForSecrets)
        )
    }
}
