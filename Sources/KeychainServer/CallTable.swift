// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which commands are being executed, which are queued, and how many of them prompt.
///
/// A command may take long, and occupies its thread meanwhile. So fewer commands than threads run concurrently: some
/// threads are always left to accept, to read, and for urgent commands.
final class CallTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var callsOf: [ConnectedProcess.Share: Int] = [:]
        var callsOfUser: [UInt32: Int] = [:]
        var urgentOfUser: [UInt32: Int] = [:]
        var waiting: [Connection] = []
        var questions = 0
        var questionsOf: [ConnectedProcess.Share: Int] = [:]
        var questionsOfUser: [UInt32: Int] = [:]

        func hasRoom(for share: ConnectedProcess.Share, _ options: ServerOptions) -> Bool {
            calls < options.mostCalls && callsOf[share, default: 0] < options.mostCallsOfProcess
                && callsOfUser[share.user, default: 0] < options.mostCallsOfUser
        }

        mutating func begin(_ share: ConnectedProcess.Share) {
            calls += 1
            callsOf[share, default: 0] += 1
            callsOfUser[share.user, default: 0] += 1
        }
    }

    init(_ options: ServerOptions) { self.options = options }

    /// Begins the command of a connection; if the limit is reached, the connection is queued until ``end(_:)`` returns
    /// it.
    func begin(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard state.hasRoom(for: connection.process.share, options) else {
                state.waiting.append(connection)
                return false
            }
            state.begin(connection.process.share)
            return true
        }
    }

    /// Ends a command.
    ///
    /// - Returns: The longest-queued connection whose command may now be executed; it has begun.
    func end(_ share: ConnectedProcess.Share) -> Connection? {
        state.withLock { state in
            state.calls -= 1
            state.callsOf.subtractOne(share)
            state.callsOfUser.subtractOne(share.user)
            guard let index = state.waiting.firstIndex(where: { state.hasRoom(for: $0.process.share, options) }) else {
                return nil
            }
            let next = state.waiting.remove(at: index)
            state.begin(next.process.share)
            return next
        }
    }

    /// Begins an urgent command, which is not queued; `false` if its user has too many of them, so that it is queued.
    func beginUrgent(_ share: ConnectedProcess.Share) -> Bool {
        state.withLock { state in
            guard state.urgentOfUser[share.user, default: 0] < options.mostUrgentCallsOfUser else { return false }
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
    func beginQuestion(_ share: ConnectedProcess.Share) -> Bool {
        state.withLock { state in
            guard state.questions < options.mostQuestions,
                state.questionsOf[share, default: 0] < options.mostQuestionsOfProcess,
                state.questionsOfUser[share.user, default: 0] < options.mostQuestionsOfUser
            else { return false }
            state.questions += 1
            state.questionsOf[share, default: 0] += 1
            state.questionsOfUser[share.user, default: 0] += 1
            return true
        }
    }

    /// Ends a prompt.
    func endQuestion(_ share: ConnectedProcess.Share) {
        state.withLock { state in
            state.questions -= 1
            state.questionsOf.subtractOne(share)
            state.questionsOfUser.subtractOne(share.user)
        }
    }
}

extension Dictionary where Value == Int {
    /// Subtracts one, and removes a value of zero.
    mutating func subtractOne(_ key: Key) {
        let left = self[key, default: 1] - 1
        self[key] = left == 0 ? nil : left
    }
}
