// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// A keychain that a daemon owns, accessed through its socket.
///
/// Thread-safe; a forked child opens connections of its own. A command that may have reached a daemon that has exited
/// is not sent again, unless it is read-only: its error reports an unknown outcome (``KeychainError/Kind/transport``,
/// ``KeychainError/ServiceFailure/silentAfterCommand``).
package final class DaemonKeychain: KeychainBackend {
    private let pool: ConnectionPool
    private let authenticator: any Authenticator
    let options: ClientOptions
    private let start: (@Sendable () throws(KeychainError) -> Void)?
    private let commandCount = Atomic(0)
    private let lastStatus = Mutex<(canAskForSecrets: Bool, until: Deadline)?>(nil)

    /// Creates a keychain behind a socket; no connection is made before the first command.
    ///
    /// - Parameters:
    ///   - location: the daemon's socket.
    ///   - authenticator: the user prompts.
    ///   - options: timeouts and limits.
    ///   - start: starts a daemon if none listens, and returns once it does; `nil` to fail instead.
    package init(
        at location: SocketLocation,
        authenticator: any Authenticator = NoAuthenticator(),
        options: ClientOptions = ClientOptions(),
        start: (@Sendable () throws(KeychainError) -> Void)? = nil
    ) {
        self.authenticator = authenticator
        self.options = options
        self.start = start
        pool = ConnectionPool(location, options)
    }

    /// The daemon's socket.
    package var location: SocketLocation { pool.location }

    /// Every one: the daemon refuses what it does not serve.
    package var families: CommandFamily { .all }

    /// Sends a command and waits for its reply.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        try pool.withTurn(isUrgent: command.has(.isUrgent)) { () throws(KeychainError) in
            try performInTurn(command)
        }
    }

    private func performInTurn(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        commandCount.add(1, ordering: .relaxed)
        defer { commandCount.subtract(1, ordering: .relaxed) }
        let canAskForSecrets = command.has(.mayPrompt) && self.canAskForSecrets
        // The deadline stays the same regardless of how often a daemon stops and restarts meanwhile.
        var deadline: Deadline?
        var hasBeenSentAgain = false
        while true {
            let connection = try connection(until: deadline)
            let outcome = connection.perform(command, canAskForSecrets: canAskForSecrets, authenticator) {
                BusyPoll.hasRoom(besides: commandCount.load(ordering: .relaxed) - 1)
            }
            switch outcome {
            case .reply(let reply):
                pool.putBack(connection)
                return reply
            case .failure(let error):
                pool.putBack(connection)
                throw error
            case .refused(let error): throw error
            case .notTaken(let error):
                deadline = deadline ?? options.deadline(milliseconds: options.returnMilliseconds)
                guard deadline?.millisecondsLeft != 0 else { throw error }
            case .unknown(let error):
                guard command.has(.changesNothing), !hasBeenSentAgain, !error.isSilence else { throw error }
                hasBeenSentAgain = true
                deadline = deadline ?? options.deadline(milliseconds: options.returnMilliseconds)
            }
        }
    }

    /// How often a daemon is started for one connection.
    private static let maximumStarts = 3

    /// A connection that is open, or a new one; while a daemon is expected back, it is waited for.
    private func connection(until deadline: Deadline?) throws(KeychainError) -> DaemonConnection {
        if let idle = try pool.idleConnection() { return idle }
        var pauses = deadline.map { Deadline.Pauses(until: $0) }
        var starts = 0
        while true {
            do throws(KeychainError) {
                let connection = try DaemonConnection(pool.location, options)
                pool.recordConnection()
                return connection
            } catch {
                guard error.isMissingDaemon || error.isGoneDaemon else { throw error }
                // A daemon that was reached before may be restarting.
                let isExpected = error.isGoneDaemon || (start == nil && pool.hasConnected)
                if isExpected, pauses == nil {
                    pauses = Deadline.Pauses(until: options.deadline(milliseconds: options.returnMilliseconds))
                }
                // One that has just been started may have been stopped again.
                if error.isMissingDaemon, let start, starts < Self.maximumStarts {
                    starts += 1
                    try start()
                    continue
                }
                guard pauses?.wait() == true else { throw error }
            }
        }
    }

    private var canAskForSecrets: Bool {
        if let known = lastStatus.withLock(\.self), known.until.millisecondsLeft > 0 { return known.canAskForSecrets }
        let canAskForSecrets = authenticator.canAskForSecrets
        let until = options.deadline(milliseconds: options.authenticatorMilliseconds)
        lastStatus.withLock { $0 = (canAskForSecrets, until) }
        return canAskForSecrets
    }
}
