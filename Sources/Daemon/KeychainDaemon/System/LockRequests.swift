// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// The locks of one keychain that sessions ask for, one at a time, on a thread that ends with the last one.
///
/// A lock may wait for commands of the user, who may lock a session as often as they like: however many are asked for
/// meanwhile, one lock follows.
final class LockRequests: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        /// What is waited with for the next lock; `nil` if none is asked for.
        var next: [DispatchGroup]?
    }

    /// Asks for a lock that begins after this call.
    ///
    /// - Parameters:
    ///   - group: entered until that lock has ended.
    ///   - lock: locks the keychain.
    func request(in group: DispatchGroup, _ lock: @escaping @Sendable () -> Void) {
        group.enter()
        let begins = state.withLock { state in
            state.next = (state.next ?? []) + [group]
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        let run = { @Sendable [self] in
            while let groups = takeNext() {
                lock()
                for group in groups { group.leave() }
            }
        }
        // A late lock of others is better than none.
        if !HostThread.start(.blocked, run) { run() }
    }

    private func takeNext() -> [DispatchGroup]? {
        state.withLock { state in
            defer { state.next = nil }
            if state.next == nil { state.isRunning = false }
            return state.next
        }
    }
}
