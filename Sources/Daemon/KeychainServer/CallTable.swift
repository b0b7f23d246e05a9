// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The commands being executed, the queued ones, and the number of prompts.
///
/// A command may take long, and occupies its thread meanwhile. So fewer commands than threads run concurrently: some
/// threads are always left to accept, to read, and for urgent commands.
final class CallTable: Sendable {
    private let options: ServerOptions
    private let state: Mutex<State>

    private struct State {
        var calls: ShareCount
        var questions: ShareCount
        var urgentOfUser: [UInt32: Int] = [:]
        var waiting: [Connection] = []
    }

    init(_ options: ServerOptions) {
        self.options = options
        state = Mutex(
            State(calls: ShareCount(atMost: options.callLimits), questions: ShareCount(atMost: options.questionLimits))
        )
    }

    /// Begins the command of a connection; if the limit is reached, the connection is queued until ``end(_:)`` returns
    /// it.
    func begin(_ connection: Connection) -> Bool {
        state.withLock { state in
            if state.calls.begin(connection.process.share) { return true }
            state.waiting.append(connection)
            return false
        }
    }

    /// Ends a command.
    ///
    /// - Returns: The longest-queued connection whose command may now be executed; it has begun.
    func end(_ share: ConnectedProcess.Share) -> Connection? {
        state.withLock { state in
            state.calls.end(share)
            guard let index = state.waiting.firstIndex(where: { state.calls.begin($0.process.share) }) else {
                return nil
            }
            return state.waiting.remove(at: index)
        }
    }

    /// Begins an urgent command, which is not queued; `false` if its user has too many of them, so that it is queued.
    func beginUrgent(_ share: ConnectedProcess.Share) -> Bool {
        state.withLock { state in
            guard state.urgentOfUser[share.user, default: 0] < options.maximumUrgentCallsPerUser else { return false }
            state.urgentOfUser[share.user, default: 0] += 1
            return true
        }
    }

    /// Ends an urgent command.
    func endUrgent(_ share: ConnectedProcess.Share) {
        state.withLock { $0.urgentOfUser.subtractOne(share.user) }
    }

    /// Removes a connection that has ended from the queue.
    func remove(_ connection: Connection) {
        state.withLock { state in state.waiting.removeAll { $0 === connection } }
    }

    /// Begins a prompt of a command, or its wait; `false` if the limit is reached.
    func beginQuestion(_ share: ConnectedProcess.Share) -> Bool { state.withLock { $0.questions.begin(share) } }

    /// Ends a prompt.
    func endQuestion(_ share: ConnectedProcess.Share) { state.withLock { $0.questions.end(share) } }
}
