// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A connection of a program to a front: another service of the daemon beside the socket, with a protocol of its own.
///
/// The program's commands are executed as those that it sends to the socket are, and count against the same limits of
/// its process and its user. It is a connection of the process until the object is deallocated.
package final class FrontConnection: Sendable {
    /// The program.
    package let peer: any ConnectedPeer

    private let process: ConnectedProcess
    private let server: KeychainServer
    private let ending = PromptCancellation()
    /// The memory of its identity.
    private let identity: HeldBytes

    fileprivate init(_ peer: any ConnectedPeer, of user: UInt32, to server: KeychainServer) throws(KeychainError) {
        self.peer = peer
        self.server = server
        process = try server.processes.join(peer, of: user)
        do throws(KeychainError) { identity = try process.hold(identityOf: peer) } catch {
            server.leave(process)
            throw error
        }
    }

    deinit { server.leave(process) }

    /// The processes that the program shares limits with: for the limits of the front's own, in a ``ShareCount``.
    package var share: ConnectedProcess.Share { process.share }

    /// Executes a command as the server does: in its turn, for which the calling thread waits, checks it and the
    /// program, notifies subscribers of a change, and logs it, also if it is refused.
    ///
    /// - Parameters:
    ///   - command: the command, with the client that the program claims to be.
    ///   - authenticator: shows the prompts of the command, whose queue and number are the program's (its `enqueue` is
    ///     not called); by default the user cannot be prompted.
    /// - Returns: The reply.
    /// - Throws: ``KeychainError``; `errSecNotAvailable` if the server is stopping, and for a change after ``end()``.
    package func perform(
        _ command: KeychainCommand,
        prompting authenticator: any Authenticator = NoAuthenticator()
    ) throws(KeychainError) -> KeychainReply {
        let call = Call(of: peer, process, prompting: authenticator, until: ending, countedBy: server.calls)
        return try server.executeInTurn(command, in: call, unless: ending) { () throws(KeychainError) in
            try server.checkIsServing()
            // The program cannot receive the result, and may have sent the command again on another connection.
            guard command.has(.changesNothing) || !ending.isCancelled else { throw .programIsGone }
        }
    }

    /// Counts the bytes of a message that the front has received as the program's: all of them, because a connection
    /// may have many messages at once.
    ///
    /// - Returns: Counts them until its end.
    /// - Throws: `errSecNotAvailable` if they are more than the limits allow.
    package func hold(_ byteCount: Int) throws(KeychainError) -> HeldBytes {
        guard let held = HeldBytes(byteCount, of: process.buffered, after: 0) else { throw .tooMuchBuffered }
        return held
    }

    /// Counts the bytes of a reply as the program's; a small one passes when others have reached a limit.
    ///
    /// - Returns: Counts them until its end.
    /// - Throws: `errSecNotAvailable` if they are more than the limits allow.
    package func hold(reply byteCount: Int) throws(KeychainError) -> HeldBytes {
        guard let held = HeldBytes(byteCount, of: process.buffered) else { throw .tooMuchBuffered }
        return held
    }

    /// Notifies of other programs' changes from now on.
    ///
    /// - Parameters:
    ///   - client: the client that the program claims to be.
    ///   - handler: receives the notices of changes in the groups that the program may use, or the reason why it gets
    ///     none any longer; called on one thread, which notifies the user's other programs too, so it must not wait.
    /// - Returns: Ends the subscription when it is deallocated.
    /// - Throws: ``KeychainError`` if the program may not subscribe, or has too many subscriptions.
    package func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (Result<ChangeNotice, KeychainError>) -> Void
    ) throws(KeychainError) -> ChangeObservation {
        try server.checkIsServing()
        let number = server.numbers.add(1, ordering: .relaxed).newValue
        let subscriber = ChangeSubscriber(number: number, peer: peer, share: share)
        try server.changes.reserve(subscriber)
        // It holds this object: the process is connected for as long as it is subscribed.
        let observation = ChangeObservation { [self] in server.changes.remove(subscriber) }
        try server.subscribe(subscriber, as: client) { [server] notice in
            if case .failure = notice { server.changes.remove(subscriber) }
            handler(notice)
        }
        return observation
    }

    /// Cancels the prompts of the commands in progress, because the program is gone, and refuses changes from now on.
    package func end() { ending.cancel() }
}

/// Programs that connect to a front.
extension KeychainServer {
    /// Adds a connection of a program to a front.
    ///
    /// - Parameters:
    ///   - peer: the program, as an ``Admission`` identified it.
    ///   - user: the user as whom it connected.
    /// - Returns: The connection.
    /// - Throws: `errSecNotAvailable` if the process has too many, or the server is stopping.
    package func connect(_ peer: any ConnectedPeer, of user: UInt32) throws(KeychainError) -> FrontConnection {
        try checkIsServing()
        return try FrontConnection(peer, of: user, to: self)
    }

    fileprivate func checkIsServing() throws(KeychainError) {
        guard !isStopping, !admission.isOver else { throw .stopping }
    }
}

extension KeychainError {
    fileprivate static let programIsGone = KeychainError(
        .notAvailable,
        "the program has disconnected: its changes are not made any more",
        kind: .unavailable
    )
}
