// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// A command that is being executed on the calling thread, and its connection.
final class Call: Sendable {
    /// The call of this thread.
    @TaskLocal static var current: Call?

    let connection: Connection
    private let canTypeThere: Bool
    private let server: KeychainServer
    private let questions = Atomic<UInt64>(0)
    private let reserved = Atomic<Int>(0)

    init(_ connection: Connection, canAskForSecrets: Bool, _ server: KeychainServer) {
        self.connection = connection
        canTypeThere = canAskForSecrets
        self.server = server
    }

    deinit { connection.process.buffered.subtract(reserved.load(ordering: .relaxed)) }

    /// Counts bytes as the program's until the command is answered.
    ///
    /// - Returns: Whether the limits of messages allow that.
    fileprivate func reserve(_ byteCount: Int) -> Bool {
        guard connection.process.buffered.add(byteCount) else { return false }
        reserved.add(byteCount, ordering: .relaxed)
        return true
    }

    var biometry: Biometry {
        guard connection.peer.vouchesForBiometry else { return .none }
        return authenticatorStatus?.biometry ?? .none
    }

    var canAskForSecrets: Bool {
        // It is read in transactions, so the program is not queried.
        guard connection.peer.vouchesForBiometry else { return canTypeThere }
        return authenticatorStatus?.canAskForSecrets ?? false
    }

    /// Reserves a place among the prompts of the program, until the connection ends; `nil` if there are too many.
    func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? {
        let process = connection.process
        guard server.calls.beginQuestion(process.share) else { return nil }
        let handler = connection.ending.onCancel { cancellation.cancel() }
        return PromptTicket(queue: process.promptQueue) { [connection, server] in
            connection.ending.removeHandler(handler)
            server.calls.endQuestion(process.share)
        }
    }

    /// Has the program that sent the command show a prompt, and waits for the answer.
    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        guard !prompt.cancellation.isCancelled, !server.isStopping else { return .ended }
        let number = nextQuestion()
        let end = WireMessage.endPrompt(number)
        let milliseconds = Int32(clamping: Int64(min(max(0, prompt.timeoutSeconds), 86_400) * 1000))
        let answer = exchange(.prompt(number, WirePrompt(prompt)), number: number) {
            let handler = prompt.cancellation.onCancel { [connection, server] in
                connection.send(end, tick: server.tick)
            }
            defer { prompt.cancellation.removeHandler(handler) }
            let deadline = server.options.deadline(milliseconds: milliseconds)
            let answer = waitForAnswer(to: number, deadline) { prompt.cancellation.isCancelled || server.isStopping }
            switch answer {
            case .message(let message): return message
            case .connectionEnded: return nil
            case .overdue:
                // The program may not have noticed the timeout.
                connection.send(end, tick: server.tick)
                return lastAnswer(to: number)
            }
        }
        guard case .promptReply(_, let reply)? = answer else { return .ended }
        // The context keeps it, as it does one that the program has set.
        if case .secret(let secret) = reply, secret.count > KeychainCommand.longestPassword { return .notRecognized }
        return reply
    }

    private var authenticatorStatus: (biometry: Biometry, canAskForSecrets: Bool)? {
        let number = nextQuestion()
        let answer = exchange(.authenticatorStatus(number), number: number) { lastAnswer(to: number) }
        guard case .authenticator(_, let biometry, let canAskForSecrets)? = answer else { return nil }
        return (biometry, canAskForSecrets)
    }

    private func nextQuestion() -> UInt64 { questions.add(1, ordering: .relaxed).newValue }

    /// Sends a question and waits for what answers it; without an answer the connection is over.
    private func exchange(
        _ question: WireMessage,
        number: UInt64,
        _ wait: () -> WireMessage?
    ) -> WireMessage? {
        guard connection.setAsking(true, tick: server.tick) else { return nil }
        defer { _ = connection.setAsking(false, tick: server.tick) }
        guard connection.send(question, tick: server.tick) else { return nil }
        let answer = wait()
        if answer == nil { server.end(connection) }
        return answer
    }

    private enum Answer {
        case message(WireMessage)
        case connectionEnded
        case overdue
    }

    /// The answer to a question that must be answered immediately.
    private func lastAnswer(to number: UInt64) -> WireMessage? {
        let deadline = server.options.deadline(milliseconds: server.options.promptGraceMilliseconds)
        guard case .message(let message) = waitForAnswer(to: number, deadline, orUntil: { false }) else {
            return nil
        }
        return message
    }

    /// Waits for the answer to a question until the timeout, or until it is ended otherwise.
    private func waitForAnswer(
        to number: UInt64,
        _ deadline: Deadline,
        orUntil isOver: () -> Bool
    ) -> Answer {
        while true {
            switch connection.receive(tick: server.tick) {
            case .message(let message) where message.answeredQuestion == number: return .message(message)
            case .message, .command, .end: return .connectionEnded
            case .wait: break
            }
            let left = deadline.millisecondsLeft
            if left == 0 || isOver() { return .overdue }
            // Whether the question has ended is checked periodically.
            let pause = server.options.deadline(milliseconds: max(1, min(left, server.options.tickMilliseconds)))
            _ = SocketReadiness.wait(for: connection.wanted, of: connection.socket, until: pause)
        }
    }
}

extension WireMessage {
    /// The question that a program's message answers.
    fileprivate var answeredQuestion: UInt64? {
        switch self {
        case .promptReply(let number, _), .authenticator(let number, _, canAskForSecrets: _): number
        default: nil
        }
    }
}

/// The memory that a command uses while its reply is created, before that becomes a message.
package enum CallMemory {
    /// Counts bytes as those of the program whose command is being executed on the calling thread, until that is
    /// answered.
    ///
    /// - Returns: Whether the limits of messages allow that; `true` outside of a command.
    @Sendable
    package static func reserve(_ byteCount: Int) -> Bool { Call.current?.reserve(byteCount) ?? true }
}

/// Whose a command is.
package enum CallShare {
    /// A number for the program whose command is being executed on the calling thread; `nil` outside of a command.
    ///
    /// Processes of one identified program have the same number. Two programs rarely do, and are then treated as one.
    @Sendable
    package static func number() -> UInt64? { Call.current?.connection.process.shareNumber }
}

/// Prompts the user of the program whose command is being executed on the calling thread.
///
/// The prompt is sent on the connection of that command. Outside of a command no user can be prompted.
package struct CallAuthenticator: Authenticator {
    /// An authenticator for the keychain of a daemon.
    package init() {}

    /// None, unless the program is trusted.
    package var biometry: Biometry { Call.current?.biometry ?? .none }

    /// As the program stated with its command.
    package var canAskForSecrets: Bool { Call.current?.canAskForSecrets ?? false }

    /// A place in the queue of that program's prompts; those of other programs are shown meanwhile.
    package func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? {
        guard let call = Call.current else { return PromptTicket() }
        return call.enqueue(cancellation)
    }

    /// Has the program show the prompt, which is cancelled when the program exits.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        Call.current?.ask(prompt) ?? .unavailable
    }
}
