// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which commands are carried out, which wait for those, and how many programs are being prompted.
///
/// A command may take long, and keeps its thread meanwhile. So there are fewer at once than threads: some of these are
/// always left to accept, to read, and for what is urgent.
final class CallTable: Sendable {
    private let options: ServerOptions
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var callsOf: [ConnectedProcess.Share: Int] = [:]
        var waiting: [Connection] = []
        var questions = 0
        var questionsOf: [ConnectedProcess.Share: Int] = [:]

        func hasRoom(for share: ConnectedProcess.Share, _ options: ServerOptions) -> Bool {
            calls < options.mostCalls && callsOf[share, default: 0] < options.mostCallsOfProcess
        }

        mutating func begin(_ share: ConnectedProcess.Share) {
            calls += 1
            callsOf[share, default: 0] += 1
        }
    }

    init(_ options: ServerOptions) { self.options = options }

    /// Counts the command of a connection as one that is carried out; where there are so many, the connection waits
    /// until ``end(_:)`` returns it.
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

    /// Counts a command less.
    ///
    /// - Returns: The connection that has waited longest of those whose command may be carried out now; it is counted.
    func end(_ share: ConnectedProcess.Share) -> Connection? {
        state.withLock { state in
            state.calls -= 1
            state.callsOf.subtractOne(share)
            guard let index = state.waiting.firstIndex(where: { state.hasRoom(for: $0.process.share, options) }) else {
                return nil
            }
            let next = state.waiting.remove(at: index)
            state.begin(next.process.share)
            return next
        }
    }

    /// Has a connection that has ended wait no more.
    func remove(_ connection: Connection) {
        state.withLock { state in state.waiting.removeAll { $0 === connection } }
    }

    /// Counts a command that prompts, or waits for its turn to; not when there are as many as may be.
    func beginQuestion(_ share: ConnectedProcess.Share) -> Bool {
        state.withLock { state in
            guard state.questions < options.mostQuestions,
                state.questionsOf[share, default: 0] < options.mostQuestionsOfProcess
            else { return false }
            state.questions += 1
            state.questionsOf[share, default: 0] += 1
            return true
        }
    }

    /// Counts one less.
    func endQuestion(_ share: ConnectedProcess.Share) {
        state.withLock { state in
            state.questions -= 1
            state.questionsOf.subtractOne(share)
        }
    }
}

extension Dictionary where Value == Int {
    /// Counts one less; what none is counted of is forgotten.
    mutating func subtractOne(_ key: Key) {
        let left = self[key, default: 1] - 1
        self[key] = left == 0 ? nil : left
    }
}
