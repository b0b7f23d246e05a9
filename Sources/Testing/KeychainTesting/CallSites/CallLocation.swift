// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Testing

/// A line that called into this package, found from the stack, because Apple's functions have no source location
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

/// Looks up lines on a separate thread, so that no call waits while debug information is read; requests that arrive
/// meanwhile are looked up together.
final class CallLocationLookup: Sendable {
    static let shared = CallLocationLookup()

    typealias Completion = @Sendable (CallLocation?) -> Void

    private struct Lookup {
        let stack: CallStack
        let completion: Completion
    }

    private struct State {
        var waiting: [Lookup] = []
        /// Those in progress.
        var current: [Lookup] = []
        var known: [[UInt64]: CallLocation?] = [:]
        var isRunning = false
    }

    // Protected by the condition.
    private nonisolated(unsafe) var state = State()
    private let condition = NSCondition()
    private let findLocations: Finder

    /// Finds the lines of stacks, and passes each with the stack's position when it is found.
    typealias Finder = @Sendable ([CallStack], (Int, CallLocation?) -> Void) -> Void

    /// - Parameter findLocations: finds the lines of stacks.
    init(_ findLocations: @escaping Finder = CallStack.findLocations) { self.findLocations = findLocations }

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
            defer { (state.current, state.waiting) = ([], []) }
            return state.current + state.waiting
        }
        for lookup in unfinished { lookup.completion(nil) }
    }

    private func work() {
        while let stacks = next() {
            var new: [CallStack] = []
            for stack in stacks {
                if let location = known(stack) { complete(stack, location) } else { new.append(stack) }
            }
            if !new.isEmpty { findLocations(new) { complete(new[$0], $1) } }
        }
    }

    private func complete(_ stack: CallStack, _ location: CallLocation?) {
        let completed = condition.withLock {
            state.known[stack.addresses] = .some(location)
            defer { state.current.removeAll { $0.stack.addresses == stack.addresses } }
            return state.current.filter { $0.stack.addresses == stack.addresses }
        }
        for lookup in completed { lookup.completion(location) }
    }

    private func next() -> [CallStack]? {
        condition.withLock {
            guard state.waiting.isEmpty else {
                (state.current, state.waiting) = (state.waiting, [])
                return state.current.map(\.stack)
            }
            state.isRunning = false
            condition.broadcast()
            return nil
        }
    }
}
