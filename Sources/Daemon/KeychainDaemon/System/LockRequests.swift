// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// The locks of one keychain that sessions request, one at a time, on a thread that ends with the last one.
///
/// A lock may wait for commands of the user, who may lock a session any number of times: all requests that arrive
/// meanwhile share one lock.
final class LockRequests: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRunning = false
        var next: Next?
    }

    /// The next lock, as last requested, and the groups to leave when it has ended.
    private struct Next {
        var groups: [DispatchGroup]
        let lock: @Sendable () -> Void
    }

    /// Whether no lock is requested or in progress.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Requests a lock that starts after this call.
    ///
    /// - Parameters:
    ///   - group: entered until that lock has ended.
    ///   - lock: locks the keychain; for several requests that share one lock, that of the last.
    func request(in group: DispatchGroup, _ lock: @escaping @Sendable () -> Void) {
        group.enter()
        let begins = state.withLock { state in
            state.next = Next(groups: (state.next?.groups ?? []) + [group], lock: lock)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        let run = { @Sendable [self] in
            while let next = takeNext() {
                next.lock()
                for group in next.groups { group.leave() }
            }
        }
        // Without a thread, other keychains are locked late rather than this one not at all.
        if !HostThread.start(.blocked, run) { run() }
    }

    private func takeNext() -> Next? {
        state.withLock { state in
            defer { state.next = nil }
            if state.next == nil { state.isRunning = false }
            return state.next
        }
    }
}
