// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The connections that there are, by their numbers.
final class ConnectionTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var connections: [UInt64: Connection] = [:]
        var users: [uid_t: Int] = [:]
        var reserved = 0
        var isClosed = false
    }

    init(_ options: ServerOptions) { self.options = options }

    /// How many there are.
    var count: Int { state.withLock(\.connections.count) }

    /// Those that there are now.
    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    subscript(number: UInt64) -> Connection? { state.withLock { $0.connections[number] } }

    /// Makes room for a connection of a user.
    ///
    /// - Throws: `errSecNotAvailable` when there are too many.
    func reserve(_ user: uid_t) throws(KeychainError) {
        let error: KeychainError? = state.withLock { state in
            guard !state.isClosed else { return .stopping }
            guard state.connections.count + state.reserved < options.mostConnections else {
                return .tooManyConnections("all programs")
            }
            guard state.users[user, default: 0] < options.mostConnectionsOfUser else {
                return .tooManyConnections("this user")
            }
            state.users[user, default: 0] += 1
            state.reserved += 1
            return nil
        }
        if let error { throw error }
    }

    /// Gives up what was reserved.
    func unreserve(_ user: uid_t) {
        state.withLock { state in
            state.reserved -= 1
            Self.leave(user, &state)
        }
    }

    /// Adds a connection for which there is room.
    ///
    /// - Returns: `false` when no more are taken.
    func insert(_ connection: Connection) -> Bool {
        state.withLock { state in
            state.reserved -= 1
            guard !state.isClosed else {
                Self.leave(connection.user, &state)
                return false
            }
            state.connections[connection.number] = connection
            return true
        }
    }

    /// Removes a connection.
    ///
    /// - Returns: Whether it was there.
    func remove(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard state.connections.removeValue(forKey: connection.number) != nil else { return false }
            Self.leave(connection.user, &state)
            return true
        }
    }

    /// Takes no more connections.
    func close() { state.withLock { $0.isClosed = true } }

    private static func leave(_ user: uid_t, _ state: inout State) {
        let left = state.users[user, default: 1] - 1
        state.users[user] = left == 0 ? nil : left
    }
}

extension KeychainError {
    static let stopping = KeychainError(
        .notAvailable,
        "the keychain daemon is being stopped",
        kind: .unavailable
    )
}
