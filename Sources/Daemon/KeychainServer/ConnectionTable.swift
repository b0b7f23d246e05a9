// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The connections, by their numbers.
final class ConnectionTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var connections: [UInt64: Connection] = [:]
        var accounts: [Account: Int] = [:]
        var reserved = 0
        var isClosed = false
    }

    init(_ options: ServerOptions) { self.options = options }

    /// The number of connections.
    var count: Int { state.withLock(\.connections.count) }

    /// The current connections.
    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    subscript(number: UInt64) -> Connection? { state.withLock { $0.connections[number] } }

    /// Reserves a connection of an account.
    ///
    /// - Throws: `errSecNotAvailable` if there are too many.
    func reserve(_ account: Account) throws(KeychainError) {
        let error: KeychainError? = state.withLock { state in
            guard !state.isClosed else { return .stopping }
            guard state.connections.count + state.reserved < options.maximumConnections else {
                return .tooManyConnections("all programs")
            }
            guard state.accounts[account, default: 0] < options.maximumConnectionsPerUser else {
                return .tooManyConnections(account.owner)
            }
            state.accounts[account, default: 0] += 1
            state.reserved += 1
            return nil
        }
        if let error { throw error }
    }

    /// Makes a connection that is reserved one of another account.
    ///
    /// - Throws: `errSecNotAvailable` if that has too many; nothing is changed.
    func move(_ former: Account, to account: Account) throws(KeychainError) {
        let isDone = state.withLock { state in
            guard state.accounts[account, default: 0] < options.maximumConnectionsPerUser else { return false }
            state.accounts.subtractOne(former)
            state.accounts[account, default: 0] += 1
            return true
        }
        guard isDone else { throw .tooManyConnections(account.owner) }
    }

    /// The longest-idle connection of the program with the most idle ones, to be closed for another one of an account;
    /// `nil` if no program has more idle ones than it may keep.
    func longestIdle(for account: Account, keeping needed: Int) -> Connection? {
        // A user who has all connections allowed gains nothing by those of others.
        let isUserFull = state.withLock { $0.accounts[account, default: 0] >= options.maximumConnectionsPerUser }
        var idle: [ConnectedProcess.Share: [(connection: Connection, since: UInt64)]] = [:]
        for connection in all where !isUserFull || .user(connection.user) == account {
            guard let since = connection.idleSince else { continue }
            idle[connection.process.share, default: []].append((connection, since))
        }
        let most = idle.values.max { $0.count < $1.count } ?? []
        guard most.count > needed else { return nil }
        return most.min { $0.since < $1.since }?.connection
    }

    /// Cancels a reservation.
    func unreserve(_ account: Account) {
        state.withLock { state in
            state.reserved -= 1
            state.accounts.subtractOne(account)
        }
    }

    /// Adds a connection that was reserved.
    ///
    /// - Returns: `false` if no more are accepted.
    func insert(_ connection: Connection) -> Bool {
        state.withLock { state in
            state.reserved -= 1
            guard !state.isClosed else {
                state.accounts.subtractOne(.user(connection.user))
                return false
            }
            state.connections[connection.number] = connection
            return true
        }
    }

    /// Removes a connection.
    ///
    /// - Returns: Whether it was in the table.
    func remove(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard state.connections.removeValue(forKey: connection.number) != nil else { return false }
            state.accounts.subtractOne(.user(connection.user))
            return true
        }
    }

    /// Counts a socket that remains open as a connection of its account, but not of the total, until ``release(_:)``.
    func retain(_ account: Account) { state.withLock { $0.accounts[account, default: 0] += 1 } }

    func release(_ account: Account) { state.withLock { $0.accounts.subtractOne(account) } }

    /// Accepts no more connections.
    func close() { state.withLock { $0.isClosed = true } }
}

extension KeychainError {
    static let stopping = KeychainError(
        .notAvailable,
        "the keychain daemon is stopping",
        kind: .unavailable
    )
}
