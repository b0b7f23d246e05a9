// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A question of the device that waits for the test to answer it.
public final class OpenQuestion: Sendable {
    /// What was asked.
    public let question: Owner.Question

    private let answered = DispatchSemaphore(value: 0)
    private let state = Guarded(State.open)

    private enum State {
        case open
        case answered(Owner.Answer)
        case ended
    }

    init(_ question: Owner.Question) { self.question = question }

    /// Whether nobody has answered it yet, and the program has not withdrawn it.
    public var isOpen: Bool {
        state.withLock { state in
            if case .open = state { true } else { false }
        }
    }

    /// Answers in the owner's place.
    ///
    /// The first answer counts. ``Owner/Answer/waits`` is none.
    public func answer(_ answer: Owner.Answer) {
        if answer != .waits { settle(.answered(answer)) }
    }

    /// Ends the question without an answer.
    func end() { settle(.ended) }

    /// Blocks until there is an answer; `nil` when the question was ended or its time is over.
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
