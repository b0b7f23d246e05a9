// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A command that is being executed on the calling thread, and the program that sent it.
final class Call: Sendable {
    /// The call of this thread.
    @TaskLocal static var current: Call?

    let process: ConnectedProcess
    let peer: any ConnectedPeer
    fileprivate let authenticator: any Authenticator
    private let ending: PromptCancellation
    private let table: CallTable
    private let reserved = Atomic<Int>(0)

    /// A command of a program.
    ///
    /// - Parameters:
    ///   - peer: the program.
    ///   - process: the state that its connections share.
    ///   - authenticator: shows the prompts of the command; their number and their queue are the program's.
    ///   - ending: cancelled when the connection ends that the command came on.
    ///   - table: counts the prompts.
    init(
        of peer: any ConnectedPeer,
        _ process: ConnectedProcess,
        prompting authenticator: any Authenticator,
        until ending: PromptCancellation,
        countedBy table: CallTable
    ) {
        self.peer = peer
        self.process = process
        self.authenticator = authenticator
        self.ending = ending
        self.table = table
    }

    deinit { process.buffered.subtract(reserved.load(ordering: .relaxed)) }

    /// Counts bytes as the program's until the command is answered.
    ///
    /// - Returns: Whether the limits of messages allow that.
    fileprivate func reserve(_ byteCount: Int) -> Bool {
        guard process.buffered.add(byteCount) else { return false }
        reserved.add(byteCount, ordering: .relaxed)
        return true
    }

    /// Reserves a place among the prompts of the program, until the connection ends; `nil` if there are too many.
    fileprivate func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? {
        guard table.beginQuestion(process.share) else { return nil }
        let handler = ending.onCancel { cancellation.cancel() }
        return PromptTicket(queue: process.promptQueue) { [process, ending, table] in
            ending.removeHandler(handler)
            table.endQuestion(process.share)
        }
    }

    fileprivate func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let reply = authenticator.ask(prompt)
        // The context keeps it, as it does one that the program has set.
        if case .secret(let secret) = reply, secret.count > KeychainCommand.longestPassword { return .notRecognized }
        return reply
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
    package static func number() -> UInt64? { Call.current?.process.shareNumber }
}

/// Prompts the user of the program whose command is being executed on the calling thread.
///
/// The prompt is sent on the connection of that command, or shown by the front that it came from. Outside of a command
/// no user can be prompted.
package struct CallAuthenticator: Authenticator {
    /// An authenticator for the keychain of a daemon.
    package init() {}

    /// None, unless the program is trusted, or a front has some.
    package var biometry: Biometry { Call.current?.authenticator.biometry ?? .none }

    /// As the program stated with its command, or as a front knows.
    package var canAskForSecrets: Bool { Call.current?.authenticator.canAskForSecrets ?? false }

    /// A place in the queue of that program's prompts; those of other programs are shown meanwhile.
    package func enqueue(_ cancellation: PromptCancellation) -> PromptTicket? {
        guard let call = Call.current else { return PromptTicket() }
        return call.enqueue(cancellation)
    }

    /// Has the program or the front show the prompt, which is cancelled when the program exits.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        Call.current?.ask(prompt) ?? .unavailable
    }
}
