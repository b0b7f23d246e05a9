// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire

/// Notifications of changes.
extension KeychainServer {
    /// Refuses a subscription, and ends its connection, if the process has too many: before it waits for its turn.
    ///
    /// - Returns: Whether there is room; always for a command.
    func hasRoom(for command: ReceivedCommand, on connection: Connection) -> Bool {
        guard case .observation = command.content else { return true }
        do throws(KeychainError) {
            try changes.reserve(connection.subscriber)
            return true
        } catch {
            end(connection, error)
            return false
        }
    }

    /// Notifies a program of other programs' changes from now on.
    ///
    /// - Returns: What the connection waits for next; `nil` if it has ended.
    func observe(_ connection: Connection, number: UInt64, for client: Client) -> SocketReadiness? {
        do throws(KeychainError) {
            try subscribe(connection.subscriber, as: client) { [self] in notify(connection, $0) }
        } catch {
            end(connection, error)
            return nil
        }
        guard let frame = try? WireMessage.reply(number, .done).encoded() else { return nil }
        return connection.beginObserving(frame, tick: tick)
    }

    private func notify(_ connection: Connection, _ notice: Result<ChangeNotice, KeychainError>) {
        switch notice {
        case .success(let notice):
            guard let wanted = connection.notify(of: notice, tick: tick) else { return end(connection) }
            watchAgain(connection, wanted)
        case .failure(let error): end(connection, error)
        }
    }

    /// Notifies a subscriber, whose subscription was reserved, of other programs' changes from now on.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber.
    ///   - client: the client that it claims to be.
    ///   - tell: receives the notices that it may have, or why it may have none any longer.
    /// - Throws: ``KeychainError`` if it may not subscribe.
    func subscribe(
        _ subscriber: ChangeSubscriber,
        as client: Client,
        tell: @escaping @Sendable (Result<ChangeNotice, KeychainError>) -> Void
    ) throws(KeychainError) {
        let peer = subscriber.peer
        let filter = try peer.changeFilter(for: client)
        // Checking whether the process is still the same program may take long.
        try peer.confirm()
        try changes.add(subscriber, filter) { notice in
            tell(
                Result { () throws(KeychainError) in
                    try peer.confirm()
                    return notice
                }
            )
        }
    }
}

extension Result<KeychainReply, KeychainError> {
    /// The possible changes of a command with this result; `nil` for none.
    func notice(of command: KeychainCommand) -> ChangeNotice? {
        var failure: KeychainError?
        switch self {
        case .success(.explained(let outcome)): if case .failure(let error) = outcome.result { failure = error }
        case .success: break
        case .failure(let error): failure = error
        }
        // A wrong passcode may have been the last that is allowed, upon which everything is erased.
        if failure?.status == .authenticationFailed { return .unknown }
        return failure?.mayHaveChanged(command) ?? true ? ChangeNotice(of: command) : nil
    }
}

extension KeychainError {
    /// Whether a command that failed with this error may have changed items nevertheless.
    fileprivate func mayHaveChanged(_ command: KeychainCommand) -> Bool {
        kind == .storage(.doubtfulCommit) || command.has(.changesWhenItFails)
    }
}
