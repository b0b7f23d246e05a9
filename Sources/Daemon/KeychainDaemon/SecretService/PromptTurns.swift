// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import Synchronization

/// The prompts at terminals: one at a time at each of them, because what is typed there is for one question.
///
/// A prompt has its turn until its passcode was verified: otherwise the next one would ask for what is being unlocked.
final class PromptTurns: Sendable {
    /// Those who have or want a turn, by the terminal; the first has it.
    private let waiting = Mutex<[UInt32: [Turn]]>([:])

    /// A place in the queue of a terminal.
    private final class Turn: Sendable {
        let wake = DispatchSemaphore(value: 0)
    }

    /// Runs `body` once it is the prompt's turn.
    ///
    /// - Parameters:
    ///   - terminal: the number of the terminal.
    ///   - cancellation: ends the wait.
    ///   - body: asks.
    /// - Returns: What `body` returned; `nil` if the prompt ended before.
    func wait<Result>(
        for terminal: UInt32,
        _ cancellation: PromptCancellation,
        _ body: () -> Result
    ) -> Result? {
        let turn = Turn()
        waiting.withLock { $0[terminal, default: []].append(turn) }
        defer { leave(terminal, turn) }
        let handler = cancellation.onCancel { turn.wake.signal() }
        defer { cancellation.removeHandler(handler) }
        while !waiting.withLock({ $0[terminal]?.first === turn }) {
            turn.wake.wait()
            if cancellation.isCancelled { return nil }
        }
        return cancellation.isCancelled ? nil : body()
    }

    private func leave(_ terminal: UInt32, _ turn: Turn) {
        let next = waiting.withLock { waiting in
            waiting[terminal]?.removeAll { $0 === turn }
            if waiting[terminal]?.isEmpty == true { waiting[terminal] = nil }
            return waiting[terminal]?.first
        }
        next?.wake.signal()
    }
}
