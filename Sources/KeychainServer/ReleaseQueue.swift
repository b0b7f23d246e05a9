// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HostFiles
import KeychainCore
import Synchronization

/// Releases the authentication contexts of processes that have gone, on a thread of each user's: a keychain may block,
/// and whoever ends a connection may be the thread that enforces everybody's timeouts.
final class ReleaseQueue: Sendable {
    /// What a process has left.
    private struct Remains {
        let contexts: [Bytes16]
        let process: ConnectedProcess
    }

    /// What is left of each user's processes; a user is in it for as long as a thread is at work for it.
    private let remains = Mutex<[UInt32: [Remains]]>([:])
    private let threads = DispatchGroup()

    /// Has the contexts of a process released.
    func add(_ contexts: [Bytes16], of process: ConnectedProcess) {
        guard !contexts.isEmpty else { return }
        let user = process.share.user
        let isFirst = remains.withLock { remains in
            defer { remains[user, default: []].append(Remains(contexts: contexts, process: process)) }
            return remains[user] == nil
        }
        guard isFirst else { return }
        threads.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            while let next = next(of: user) {
                for context in next.contexts { next.process.release(context) }
            }
            threads.leave()
        }
        guard !isStarted else { return }
        // The keychain drops them later by itself.
        remains.withLock { $0[user] = nil }
        threads.leave()
    }

    private func next(of user: UInt32) -> Remains? {
        remains.withLock { remains in
            guard remains[user]?.isEmpty == false else {
                remains[user] = nil
                return nil
            }
            return remains[user]?.removeFirst()
        }
    }

    /// Waits until everything is released, for as long as a deadline allows.
    func finish(_ deadline: Deadline) {
        _ = threads.wait(timeout: .now() + .milliseconds(Int(deadline.millisecondsLeft)))
    }
}

extension ConnectedProcess {
    /// Has its keychain release a context; if that fails, the keychain drops it later by itself.
    func release(_ context: Bytes16) { _ = try? peer.backend.perform(.authentication(.release(context))) }
}
