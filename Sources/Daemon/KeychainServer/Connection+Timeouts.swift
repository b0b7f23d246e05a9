// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire
import Synchronization

/// Periodic checks.
extension Connection {
    /// The action required for the connection.
    enum TimeoutAction {
        /// Nothing, and it is idle.
        case none
        /// Nothing yet.
        case watch
        /// The program has to be notified that its command is still in progress.
        case notifyWorking(UInt64)
        /// It is over.
        case end(KeychainError?)
    }

    /// Checks the timeouts of the connection.
    func checkTimeouts(tick: UInt64, _ options: ServerOptions) -> TimeoutAction {
        state.withLock { state in
            // A subscriber may be stopped for any length of time: it holds no more than one notice.
            if state.phase == .ended || state.phase == .observing { return .none }
            if !state.pending.isEmpty, tick &- state.sendingSince > options.ticks(options.answerMilliseconds) {
                return .end(nil)
            }
            switch state.phase {
            case .greeting:
                return tick &- state.since > options.ticks(options.messageMilliseconds) ? .end(.tooSlow) : .watch
            case .idle:
                if state.isAtRest { return state.pending.isEmpty ? .none : .watch }
                return tick &- state.since > options.ticks(options.messageMilliseconds) ? .end(.tooSlow) : .watch
            case .busy, .waiting:
                if hasHungUp { return .end(nil) }
                if tick &- state.workingSince > options.ticks(options.commandMilliseconds) {
                    // The outcome of a command in execution is not known yet.
                    return .end(state.phase == .waiting ? .overdue : nil)
                }
                guard state.pending.isEmpty,
                    tick &- state.since >= options.ticks(options.workingMilliseconds)
                else { return .watch }
                state.since = tick
                return .notifyWorking(state.lastTaken)
            case .asking, .observing, .leaving, .ended: return .watch
            }
        }
    }

    /// Since when the connection is idle, or has a subscription, which its program can begin again; `nil` for neither.
    var idleSince: UInt64? {
        state.withLock { state in
            if state.phase == .observing { return state.since }
            return state.phase == .idle && state.isAtRest && state.pending.isEmpty ? state.since : nil
        }
    }

    /// Whether the program has closed the connection, or exited.
    var hasHungUp: Bool {
        SocketReadiness.wait(for: [], of: socket, milliseconds: 0).contains(.ended)
    }
}

extension KeychainError {
    fileprivate static let overdue = KeychainError(
        .notAvailable,
        "the keychain daemon has been busy with other commands of this program for too long",
        kind: .transport
    )

    fileprivate static let tooSlow = KeychainError(
        .notAvailable,
        "a message to the keychain daemon was not completed in time",
        kind: .transport
    )
}
