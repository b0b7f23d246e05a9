// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainHost
import Synchronization

/// Releases the authentication contexts of processes that have exited, on a separate thread for each user: a keychain
/// may block, and the thread that ends a connection may be the one that enforces all timeouts.
final class ReleaseQueue: Sendable {
    /// The contexts of a process that has gone.
    private struct Remains {
        let contexts: [Bytes16]
        let process: ConnectedProcess
    }

    /// The contexts left by the processes of a user.
    private struct OfUser {
        var remains: [Remains] = []
        /// Whether a thread releases it.
        var isAtWork = false
    }

    private let users = Mutex<[UInt32: OfUser]>([:])
    private let threads = DispatchGroup()

    /// Has the contexts of a process released.
    func add(_ contexts: [Bytes16], of process: ConnectedProcess) {
        guard !contexts.isEmpty else { return }
        let user = process.share.user
        let needsThread = users.withLock { users in
            users[user, default: OfUser()].remains.append(Remains(contexts: contexts, process: process))
            defer { users[user]?.isAtWork = true }
            return users[user]?.isAtWork == false
        }
        guard needsThread else { return }
        threads.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            while let next = next(of: user) {
                for context in next.contexts { next.process.release(context) }
            }
            threads.leave()
        }
        guard !isStarted else { return }
        // The next process of the user that exits tries again.
        users.withLock { $0[user]?.isAtWork = false }
        threads.leave()
    }

    private func next(of user: UInt32) -> Remains? {
        users.withLock { users in
            guard users[user]?.remains.isEmpty == false else {
                users[user] = nil
                return nil
            }
            return users[user]?.remains.removeFirst()
        }
    }

    /// Waits until everything is released, for as long as a deadline allows.
    func finish(_ deadline: Deadline) {
        _ = threads.wait(timeout: .now() + .milliseconds(Int(deadline.millisecondsLeft)))
    }
}

extension ConnectedProcess {
    /// Has its keychain release a context; if that fails, the keychain drops it once it has too many.
    func release(_ context: Bytes16) { _ = try? peer.backend.perform(.authentication(.release(context))) }
}
