// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Work on several threads, whose stacks have room for code that is nested deeply.
enum Parallel {
    /// Room to recurse over whatever a file of the largest size nests; memory that is not touched costs nothing.
    private static let stackSize = 512 << 20

    /// The results of an action for all numbers below a count, in their order.
    static func map<Result: Sendable>(
        _ count: Int,
        _ action: @escaping @Sendable (Int) -> Result
    ) -> [Result] {
        guard count > 0 else { return [] }
        let work = Work(count, action)
        for _ in 0..<min(count, ProcessInfo.processInfo.activeProcessorCount) {
            let thread = Thread { work.run() }
            thread.stackSize = stackSize
            thread.start()
        }
        return work.wait()
    }

    /// The numbers that are left to do, and the results so far.
    // Sendable: the condition's lock protects all variables.
    private final class Work<Result: Sendable>: @unchecked Sendable {
        private let condition = NSCondition()
        private let action: @Sendable (Int) -> Result
        private var next = 0
        private var results: [Result?]
        private var left: Int

        init(_ count: Int, _ action: @escaping @Sendable (Int) -> Result) {
            self.action = action
            results = Array(repeating: nil, count: count)
            left = count
        }

        func run() {
            while let number = take() {
                let result = action(number)
                condition.lock()
                results[number] = result
                left -= 1
                if left == 0 { condition.signal() }
                condition.unlock()
            }
        }

        private func take() -> Int? {
            condition.lock()
            defer { condition.unlock() }
            guard next < results.count else { return nil }
            next += 1
            return next - 1
        }

        func wait() -> [Result] {
            condition.lock()
            defer { condition.unlock() }
            while left > 0 { condition.wait() }
            return results.compactMap(\.self)
        }
    }
}
