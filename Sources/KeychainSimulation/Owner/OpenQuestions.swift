// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The questions that wait for a test, and the tests that wait for a question.
final class OpenQuestions: Sendable {
    private let state = Guarded(State())

    private struct State {
        var questions: [OpenQuestion] = []
        var waiting: [(number: Int, continuation: CheckedContinuation<OpenQuestion, any Error>)] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0
    }

    /// How long a question stays open: longer than on a device, so that a busy host ends none.
    private static let timeoutSeconds = 600.0

    /// Puts a question, and waits for the answer; `nil` when it was ended.
    func answer(to prompt: AuthenticationPrompt) -> Owner.Answer? {
        let question = OpenQuestion(Owner.Question(prompt))
        let handler = prompt.cancellation.onCancel { question.end() }
        defer { prompt.cancellation.removeHandler(handler) }
        let waiting: CheckedContinuation<OpenQuestion, any Error>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.questions.append(question)
            return nil
        }
        waiting?.resume(returning: question)
        return question.wait(seconds: Self.timeoutSeconds)
    }

    /// The next question that is open, given out once.
    func next() async throws -> OpenQuestion {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(number, $0) }
        } onCancel: {
            cancel(number)
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<OpenQuestion, any Error>) {
        let outcome: Result<OpenQuestion, any Error>? = state.withLock { state in
            guard state.cancelled.remove(number) == nil else { return .failure(CancellationError()) }
            state.questions.removeAll { !$0.isOpen }
            guard state.questions.isEmpty else { return .success(state.questions.removeFirst()) }
            state.waiting.append((number, continuation))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func cancel(_ number: Int) {
        let continuation: CheckedContinuation<OpenQuestion, any Error>? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
