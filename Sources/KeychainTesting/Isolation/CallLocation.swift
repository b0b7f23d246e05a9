// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing

/// A line that called into this package, taken from the stack, because Apple's functions have no source location
/// parameter.
struct CallLocation: Sendable, Hashable, CustomStringConvertible {
    let path: String
    let line: Int
    let column: Int

    /// In the format of compiler diagnostics.
    var description: String { "\(path):\(line)" }

    /// For Swift Testing.
    var sourceLocation: SourceLocation {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return SourceLocation(fileID: "Tests/\(name)", filePath: path, line: max(1, line), column: max(1, column))
    }
}

/// Looks up lines one after the other on a separate thread, so that no call waits while debug information is read.
final class CallLocationLookup: Sendable {
    static let shared = CallLocationLookup()

    typealias Completion = @Sendable (CallLocation?) -> Void

    private struct Lookup {
        let stack: CallStack
        let completion: Completion
    }

    private struct State {
        var waiting: [Lookup] = []
        /// The one in progress.
        var current: Lookup?
        var known: [[UInt64]: CallLocation?] = [:]
        var isRunning = false
    }

    // Protected by the condition.
    private nonisolated(unsafe) var state = State()
    private let condition = NSCondition()
    private let findLocation: @Sendable (CallStack) -> CallLocation?

    /// - Parameter findLocation: finds the line of a stack.
    init(_ findLocation: @escaping @Sendable (CallStack) -> CallLocation? = { $0.findLocation() }) {
        self.findLocation = findLocation
    }

    /// The line of a stack that was already looked up; otherwise `nil`.
    func known(_ stack: CallStack) -> CallLocation?? { condition.withLock { state.known[stack.addresses] } }

    /// Looks up the line of the caller, and calls `completion` on the thread of the lookups.
    func find(_ stack: CallStack, _ completion: @escaping Completion) {
        let starts = condition.withLock {
            state.waiting.append(Lookup(stack: stack, completion: completion))
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        let thread = Thread { self.work() }
        thread.name = "lines of calls"
        // Reading debug information needs a large stack, because it recurses.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// The line of the caller.
    func find(_ stack: CallStack) async -> CallLocation? {
        await withCheckedContinuation { continuation in find(stack) { continuation.resume(returning: $0) } }
    }

    /// Looks up the line of a stack, and waits for the result with a timeout.
    func waitUntilFound(_ stack: CallStack, seconds: TimeInterval) {
        let isFound = DispatchSemaphore(value: 0)
        find(stack) { _ in isFound.signal() }
        _ = isFound.wait(timeout: .now() + seconds)
    }

    /// Waits until all lookups are done, with a timeout; those that are not done by then end without a line.
    func finish(seconds: TimeInterval) {
        let end = Date(timeIntervalSinceNow: seconds)
        let unfinished = condition.withLock {
            while state.isRunning, condition.wait(until: end) {}
            defer { (state.current, state.waiting) = (nil, []) }
            return [state.current].compactMap(\.self) + state.waiting
        }
        for lookup in unfinished { lookup.completion(nil) }
    }

    private func work() {
        while let stack = next() {
            let location = known(stack) ?? findLocation(stack)
            condition.withLock {
                state.known[stack.addresses] = .some(location)
                return state.current.take()
            }?.completion(location)
        }
    }

    private func next() -> CallStack? {
        condition.withLock {
            guard state.waiting.isEmpty else {
                state.current = state.waiting.removeFirst()
                return state.current?.stack
            }
            state.isRunning = false
            condition.broadcast()
            return nil
        }
    }
}
