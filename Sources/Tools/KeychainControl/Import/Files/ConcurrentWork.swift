// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// Work that is done by several threads at once.
///
/// Changes of the keychain that wait for its disk share one sync of its log then (Architecture, "Choices"), and each is
/// a change by itself, with all that belongs to one: checks, limits, former values, a line in the daemon's log.
enum ConcurrentWork {
    /// Most of these threads wait for the disk.
    static let threadCount = 16

    /// Does each piece of work once, on this thread and others.
    ///
    /// - Parameters:
    ///   - pieces: what is to be done, begun in this order.
    ///   - isLast: whether nothing more is begun after a result.
    /// - Returns: The results, in the order of the pieces; `nil` for one that was not begun.
    static func results<Value: Sendable>(
        of pieces: [@Sendable () -> Value],
        until isLast: @escaping @Sendable (Value) -> Bool
    ) -> [Value?] {
        let state = Mutex(State<Value>(count: pieces.count))
        let work: @Sendable () -> Void = {
            while let index = state.withLock({ $0.takeNext() }) {
                let value = pieces[index]()
                let isOver = isLast(value)
                state.withLock { state in
                    state.results[index] = value
                    if isOver { state.isOver = true }
                }
            }
        }
        let others = DispatchGroup()
        for _ in 1..<max(1, min(threadCount, pieces.count)) {
            others.enter()
            let isStarted = HostThread.start(.blocked) {
                work()
                others.leave()
            }
            // This thread does what no other one does.
            if !isStarted { others.leave() }
        }
        work()
        others.wait()
        return state.withLock(\.results)
    }

    private struct State<Value: Sendable>: Sendable {
        var results: [Value?]
        var next = 0
        var isOver = false

        init(count: Int) { results = [Value?](repeating: nil, count: count) }

        mutating func takeNext() -> Int? {
            guard !isOver, next < results.count else { return nil }
            defer { next += 1 }
            return next
        }
    }
}
