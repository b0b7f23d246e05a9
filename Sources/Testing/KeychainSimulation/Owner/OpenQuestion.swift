// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A prompt of the device that waits for the test's answer.
public final class OpenQuestion: Sendable {
    /// The operation.
    public let question: Owner.Question

    private let answered = DispatchSemaphore(value: 0)
    private let state = Guarded(State.open)

    private enum State {
        case open
        case answered(Owner.Answer)
        case ended
    }

    init(_ question: Owner.Question) { self.question = question }

    /// Whether it was neither answered nor withdrawn by the program.
    public var isOpen: Bool {
        state.withLock { state in
            if case .open = state { true } else { false }
        }
    }

    /// Answers on behalf of the owner.
    ///
    /// Only the first answer has an effect; ``Owner/Answer/waits`` has none.
    public func answer(_ answer: Owner.Answer) {
        if answer != .waits { settle(.answered(answer)) }
    }

    /// Ends the question without an answer.
    func end() { settle(.ended) }

    /// Blocks until there is an answer; `nil` if the question was ended or timed out.
    func wait(seconds: Double) -> Owner.Answer? {
        BlockedThread.wait(for: answered, seconds: seconds, "A question of the device") { end() }
        end()
        return state.withLock { state in
            if case .answered(let answer) = state { answer } else { nil }
        }
    }

    private func settle(_ new: State) {
        let isSettled = state.withLock { state in
            guard case .open = state else { return false }
            state = new
            return true
        }
        if isSettled { answered.signal() }
    }
}
