// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads for calls that may wait for a person or a disk, so that no thread of Swift's pool does.
///
/// As many as there are calls, up to a bound, and each for a while afterwards.
final class CallThreads: Sendable {
    static let shared = CallThreads()

    // Guarded by the condition.
    private final class State: @unchecked Sendable {
        let condition = NSCondition()
        var jobs: [@Sendable () -> Void] = []
        var idle = 0
        var count = 0
    }

    private let state = State()
    private static let most = 64
    private static let patience: TimeInterval = 5

    func run(_ job: @escaping @Sendable () -> Void) {
        state.condition.lock()
        defer { state.condition.unlock() }
        state.jobs.append(job)
        if state.idle >= state.jobs.count || state.count == Self.most { return state.condition.signal() }
        state.count += 1
        let thread = Thread { [state] in Self.work(state) }
        thread.start()
    }

    /// Whether the caller runs on one of them.
    static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

    private static let mark = "swift-keychain.call"

    private static func work(_ state: State) {
        Thread.current.threadDictionary[mark] = true
        state.condition.lock()
        defer { state.condition.unlock() }
        while true {
            if state.jobs.isEmpty {
                state.idle += 1
                let isWoken = state.condition.wait(until: Date(timeIntervalSinceNow: patience))
                state.idle -= 1
                if state.jobs.isEmpty {
                    if isWoken { continue }
                    state.count -= 1
                    return
                }
            }
            let job = state.jobs.removeFirst()
            state.condition.unlock()
            job()
            state.condition.lock()
        }
    }
}
