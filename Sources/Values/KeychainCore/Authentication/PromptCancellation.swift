// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ends a question from another thread, for example when its context is invalidated.
package final class PromptCancellation: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var nextHandler = 0
    }

    /// A prompt that is still open.
    package init() {}

    /// Whether the question was ended.
    package var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Ends the question; calls the handlers, each once.
    package func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }

    /// Adds a handler to call when the prompt is canceled; it is called at once if that has happened already.
    ///
    /// - Returns: A number for ``removeHandler(_:)``.
    @discardableResult
    package func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.isCancelled { return nil }
            state.nextHandler += 1
            state.handlers[state.nextHandler] = handler
            return state.nextHandler
        }
        if number == nil { handler() }
        return number ?? 0
    }

    /// Forgets a handler.
    package func removeHandler(_ number: Int) {
        state.withLock { $0.handlers[number] = nil }
    }
}
