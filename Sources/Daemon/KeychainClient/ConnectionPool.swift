// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// The idle connections of a program, and the number of commands that it sends concurrently.
///
/// It is modified only inside the fork gate, so that a child inherits no lock that a thread of its parent holds. The
/// child starts with an empty pool: the connections are the parent's.
final class ConnectionPool: @unchecked Sendable {
    let location: SocketLocation
    private let options: ClientOptions
    private let turn: OpaquePointer?
    private let isKnown = Atomic<Bool>(false)
    // Only inside the gate.
    private var idle: [DaemonConnection] = []
    private var turns = 0
    private var waiting: [DispatchSemaphore] = []
    private var forkGeneration = keychain_fork_generation()

    init(_ location: SocketLocation, _ options: ClientOptions) {
        self.location = location
        self.options = options
        turn = keychain_turn_make()
    }

    deinit { keychain_turn_free(turn) }

    /// Whether a daemon was reached.
    var hasConnected: Bool { isKnown.load(ordering: .relaxed) }

    /// Records that a daemon was reached.
    func recordConnection() { isKnown.store(true, ordering: .relaxed) }

    /// Runs `body` as one of the concurrent commands; waits until there are fewer.
    func withTurn<Result>(
        isUrgent: Bool,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        guard !isUrgent else { return try body() }
        while let semaphore = try acquireTurn() { semaphore.wait() }
        defer { releaseTurn() }
        return try body()
    }

    /// Takes a turn; returns what to wait for if there is none.
    private func acquireTurn() throws(KeychainError) -> DispatchSemaphore? {
        try withForkGate { () -> DispatchSemaphore? in
            guard turns >= options.maximumConnections else {
                turns += 1
                return nil
            }
            let semaphore = DispatchSemaphore(value: 0)
            waiting.append(semaphore)
            return semaphore
        }
    }

    private func releaseTurn() {
        let next = try? withForkGate { () -> DispatchSemaphore? in
            // In a child the turn was the parent's.
            turns = max(0, turns - 1)
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
        next?.signal()
    }

    /// Takes an idle connection.
    func idleConnection() throws(KeychainError) -> DaemonConnection? {
        // Closed outside of the gate.
        var dropped: [DaemonConnection] = []
        defer { withExtendedLifetime(dropped) {} }
        return try withForkGate {
            while let connection = idle.popLast() {
                if connection.isOfThisUser { return connection }
                dropped.append(connection)
            }
            return nil
        }
    }

    /// Keeps a connection for the next command, unless there are enough.
    func putBack(_ connection: DaemonConnection) {
        let dropped = try? withForkGate { () -> DaemonConnection? in
            guard connection.isOfThisProcess, idle.count < options.maximumIdleConnections else { return connection }
            idle.append(connection)
            return nil
        }
        _ = dropped
    }

    private func withForkGate<Result>(_ body: () -> Result) throws(KeychainError) -> Result {
        let turns = [turn]
        let error = turns.withUnsafeBufferPointer { keychain_fork_gate_enter($0.baseAddress, 1, 0, nil) }
        guard error == 0 else {
            throw KeychainError(
                .notAvailable,
                "the process was forked during a call, and has to call exec before it can use the keychain",
                kind: .storage(.abandonedByFork)
            )
        }
        defer { turns.withUnsafeBufferPointer { keychain_fork_gate_leave($0.baseAddress, 1) } }
        if forkGeneration != keychain_fork_generation() {
            forkGeneration = keychain_fork_generation()
            idle = []
            self.turns = 0
            waiting = []
        }
        return body()
    }
}
