// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// Has the program that sent a command prompt its user, by messages on the connection of that command.
final class ConnectionAuthenticator: Authenticator {
    private let connection: Connection
    private let canTypeThere: Bool
    private let server: KeychainServer
    private let questions = Atomic<UInt64>(0)

    /// An authenticator for one command.
    ///
    /// - Parameters:
    ///   - connection: the connection on which it arrived.
    ///   - canAskForSecrets: whether someone could type something there, as the program stated with it.
    ///   - server: the server.
    init(_ connection: Connection, canAskForSecrets: Bool, _ server: KeychainServer) {
        self.connection = connection
        canTypeThere = canAskForSecrets
        self.server = server
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
