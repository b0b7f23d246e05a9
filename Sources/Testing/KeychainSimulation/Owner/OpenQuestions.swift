// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The open questions, and the tests that wait for one.
final class OpenQuestions: Sendable {
    private let state = Guarded(State())

    private struct State {
        var questions: [OpenQuestion] = []
        var waiting: [(number: Int, continuation: CheckedContinuation<OpenQuestion, any Error>)] = []
        /// The errors of waits that ended before they began.
        var ended: [Int: any Error] = [:]
        var lastNumber = 0
    }

    /// The timeout of a question: longer than on a device, so that a busy host does not end one.
    private static let timeoutSeconds = 600.0

    /// Asks a question, and waits for the answer; `nil` if it was ended.
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

    /// The next open question; each is returned once.
    func next(within limit: Duration) async throws -> OpenQuestion {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            end(number, Owner.NoQuestionError(limit: limit))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(number, $0) }
        } onCancel: {
            end(number, CancellationError())
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<OpenQuestion, any Error>) {
        let outcome: Result<OpenQuestion, any Error>? = state.withLock { state in
            if let error = state.ended.removeValue(forKey: number) { return .failure(error) }
            state.questions.removeAll { !$0.isOpen }
            guard state.questions.isEmpty else { return .success(state.questions.removeFirst()) }
            state.waiting.append((number, continuation))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func end(_ number: Int, _ error: any Error) {
        let continuation: CheckedContinuation<OpenQuestion, any Error>? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.ended[number] = error
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: error)
    }
}
