// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
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
        var waiting: [Waiting] = []
        var isOver = false
    }

    /// What waits for its turn.
    private enum Waiting {
        case connection(Connection)
        case front(FrontTurn)

        var share: ConnectedProcess.Share {
            switch self {
            case .connection(let connection): connection.process.share
            case .front(let turn): turn.share
            }
        }
    }

    /// The turn of a front's command, for which a thread of the front waits.
    private final class FrontTurn: Sendable {
        let share: ConnectedProcess.Share
        let isDecided = DispatchSemaphore(value: 0)
        let hasBegun = Atomic<Bool>(false)

        init(_ share: ConnectedProcess.Share) { self.share = share }
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
            state.waiting.append(.connection(connection))
            return false
        }
    }

    /// Begins a command of a front's program; if the limit is reached, the calling thread waits.
    ///
    /// - Parameters:
    ///   - share: the program.
    ///   - ending: ends the waiting, because the program is gone.
    ///   - deadline: how long it waits.
    /// - Throws: `errSecNotAvailable` if its turn did not come.
    func begin(
        _ share: ConnectedProcess.Share,
        unless ending: PromptCancellation,
        until deadline: Deadline
    ) throws(KeychainError) {
        let turn = FrontTurn(share)
        let hasBegun = state.withLock { state in
            if state.calls.begin(share) { return true }
            if state.isOver { turn.isDecided.signal() } else { state.waiting.append(.front(turn)) }
            return false
        }
        if hasBegun { return }
        let handler = ending.onCancel { turn.isDecided.signal() }
        _ = turn.isDecided.wait(until: deadline)
        ending.removeHandler(handler)
        remove(turn)
        guard turn.hasBegun.load(ordering: .acquiring) else { throw .tooManyCalls }
    }

    private func remove(_ turn: FrontTurn) {
        state.withLock { state in
            state.waiting.removeAll { if case .front(let other) = $0 { other === turn } else { false } }
        }
    }

    /// Ends the waiting of fronts' commands, now and from now on.
    func stopFronts() {
        state.withLock { state in
            state.isOver = true
            for case .front(let turn) in state.waiting { turn.isDecided.signal() }
        }
    }

    /// Ends a command.
    ///
    /// - Returns: The longest-queued connection whose command may now be executed; it has begun. `nil` if there is
    ///   none, or it is the turn of a front's command.
    func end(_ share: ConnectedProcess.Share) -> Connection? {
        state.withLock { state in
            state.calls.end(share)
            guard let index = state.waiting.firstIndex(where: { state.calls.begin($0.share) }) else { return nil }
            switch state.waiting.remove(at: index) {
            case .connection(let connection): return connection
            case .front(let turn):
                turn.hasBegun.store(true, ordering: .releasing)
                turn.isDecided.signal()
                return nil
            }
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
        state.withLock { state in
            state.waiting.removeAll { if case .connection(let other) = $0 { other === connection } else { false } }
        }
    }

    /// Begins a prompt of a command, or its wait; `false` if the limit is reached.
    func beginQuestion(_ share: ConnectedProcess.Share) -> Bool { state.withLock { $0.questions.begin(share) } }

    /// Ends a prompt.
    func endQuestion(_ share: ConnectedProcess.Share) { state.withLock { $0.questions.end(share) } }
}

extension KeychainError {
    fileprivate static let tooManyCalls = KeychainError(
        .notAvailable,
        "the keychain daemon executes too many commands of this program or its user at the same time; try again later",
        kind: .unavailable
    )
}
