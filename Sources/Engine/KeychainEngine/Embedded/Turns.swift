// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainStore

/// Exclusive use by one call at a time, inside the fork gate.
final class Turn: @unchecked Sendable {
    // Only ever handed to the gate, which has a lock of its own.
    fileprivate let handle: OpaquePointer

    init() {
        guard let handle = keychain_turn_make() else { preconditionFailure("there is no memory for a turn") }
        self.handle = handle
    }

    deinit { keychain_turn_free(handle) }
}

/// The turns that a call holds together: only the gate, one turn, or several.
///
/// No thread waits for another process while it holds a turn: it gives up the turn first. So a wait for a turn is a
/// wait for work in progress, and a fork waits no longer than that.
struct Turns: @unchecked Sendable {
    private let turns: [Turn]
    // The same turns, in the form that the gate requires.
    private let handles: [OpaquePointer?]

    init(_ turns: [Turn] = []) {
        self.turns = turns
        handles = turns.map(\.handle)
    }

    /// Nothing but the gate.
    static let none = Turns()

    /// Runs `body` inside the gate, when none of the turns is held by another call.
    ///
    /// Waiting shares are served in turn (``DeviceOptions/share``).
    ///
    /// - Throws: `errSecNotAvailable` at the deadline, and in a child that was forked during a call; in these cases,
    ///   `body` was not run. Also the errors of `body`.
    func withTurn<Result>(
        for share: UInt64? = nil,
        until deadline: Deadline? = nil,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try check(
            Self.withTime(of: deadline) { time in
                handles.withUnsafeBufferPointer { keychain_fork_gate_enter($0.baseAddress, $0.count, share ?? 0, time) }
            }
        )
        defer { handles.withUnsafeBufferPointer { keychain_fork_gate_leave($0.baseAddress, $0.count) } }
        return try body()
    }

    /// Runs `body` inside the gate with the first free turn, and passes its index.
    ///
    /// It goes to the share that holds the fewest turns, and the last free one only to a share that holds none.
    ///
    /// - Throws: As ``withTurn(until:_:)``.
    func withOneTurn<Result>(
        for share: UInt64? = nil,
        until deadline: Deadline? = nil,
        _ body: (Int) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        var chosen = 0
        try check(
            Self.withTime(of: deadline) { time in
                handles.withUnsafeBufferPointer {
                    keychain_fork_gate_enter_one($0.baseAddress, $0.count, &chosen, share ?? 0, time)
                }
            }
        )
        defer {
            handles.withUnsafeBufferPointer { handles in
                keychain_fork_gate_leave(handles.baseAddress.map { $0 + chosen }, 1)
            }
        }
        return try body(chosen)
    }

    /// How many calls wait for any of the turns, for tests.
    var waitingCount: Int { handles.withUnsafeBufferPointer { keychain_fork_gate_waiting($0.baseAddress, $0.count) } }

    private func check(_ status: Int32) throws(KeychainError) {
        switch status {
        case 0: break
        case ECANCELED: throw KeychainError(StoreError.abandonedByFork)
        default: throw KeychainError(StoreError.occupied)
        }
    }

    private static func withTime(of deadline: Deadline?, _ body: (UnsafePointer<timespec>?) -> Int32) -> Int32 {
        guard let deadline else { return body(nil) }
        return withUnsafePointer(to: deadline.time, body)
    }
}
