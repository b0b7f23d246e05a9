// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import Synchronization

/// The system calls that may sleep for as long as a program likes: receiving its bytes, and closing a socket with
/// unread data.
///
/// A program can pass descriptors with its bytes (`SCM_RIGHTS`, unix(7)). They are not accepted, and the kernel drops
/// them within these calls; dropping the last reference to a file takes as long as its close, such as the linger time
/// of a TCP socket with unsent data (socket(7), `SO_LINGER`), or the response of a file system. So such a call occupies
/// a thread, is made without a lock, and their number is limited. Calls beyond the limits wait for those of the same
/// program or user, and the sockets remain open. No close waits for a linger time: otherwise the sockets that a user
/// who has reached a limit connects and leaves would also remain open, until no descriptors are left.
/// A close does wait for a file system that does not respond (Documentation/ThreatModel.md, "The system service").
final class SleepingCalls: Sendable {
    private let state: Mutex<State>
    private let closeUnread: @Sendable (Int32) -> Bool

    private struct State {
        var calls: ShareCount
        var waiting: [Connection] = []
        var closing: [Closing] = []

        mutating func dequeueReady() -> [Connection] {
            guard !waiting.isEmpty else { return [] }
            let next = waiting.filter { calls.hasRoom(for: $0.process.share) }
            waiting.removeAll { connection in next.contains { $0 === connection } }
            return next
        }
    }

    /// A socket that is to be closed.
    private struct Closing: Sendable {
        let socket: Int32
        let share: ConnectedProcess.Share
        let isClosed: @Sendable (_ next: [Connection]) -> Void
    }

    /// Creates the limits.
    ///
    /// - Parameters:
    ///   - options: the limits.
    ///   - closeUnread: closes a socket with descriptors in it, which may sleep; returns whether it is closed.
    init(_ options: ServerOptions, closeUnread: @escaping @Sendable (Int32) -> Bool = { keychain_close_unread($0) }) {
        state = Mutex(State(calls: ShareCount(atMost: options.sleepingCallLimits)))
        self.closeUnread = closeUnread
    }

    /// Begins to receive from a connection; if the limit is reached, the connection is queued until the end of another
    /// call returns it.
    func beginReceiving(_ connection: Connection) -> Bool {
        state.withLock { state in
            if state.calls.begin(connection.process.share) { return true }
            state.waiting.append(connection)
            return false
        }
    }

    /// Ends receiving.
    ///
    /// - Returns: The queued connections for which there may be room now, to be watched again.
    func endReceiving(_ share: ConnectedProcess.Share) -> [Connection] {
        let (next, closes) = state.withLock { state in
            state.calls.end(share)
            return (state.dequeueReady(), !state.closing.isEmpty)
        }
        if closes { closeNext() }
        return next
    }

    /// Returns the queued connections for which there is room, to be watched again.
    func dequeueReady() -> [Connection] { state.withLock { $0.dequeueReady() } }

    /// Removes a connection that has ended from the queue.
    func remove(_ connection: Connection) {
        state.withLock { state in state.waiting.removeAll { $0 === connection } }
    }

    /// Shuts a socket down and closes it: at once if no descriptor was left unread, otherwise on a thread of its own.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - share: the process whose limits apply.
    ///   - isOpen: called first if it may remain open for long.
    ///   - isClosed: called then once it is closed, with the queued connections for which there may be room now, to be
    ///     watched again.
    func close(
        _ socket: Int32,
        of share: ConnectedProcess.Share,
        isOpen: () -> Void,
        isClosed: @escaping @Sendable (_ next: [Connection]) -> Void
    ) {
        shutdown(socket, Int32(SHUT_RDWR))
        // Nothing more arrives.
        guard !keychain_discard(socket) else {
            Glibc.close(socket)
            return
        }
        isOpen()
        state.withLock { $0.closing.append(Closing(socket: socket, share: share, isClosed: isClosed)) }
        closeNext()
    }

    /// Starts threads for the sockets that are to be closed and have room.
    func closeNext() {
        while let next = dequeueClosing() {
            let isStarted = HostThread.start(.blocked) { [self] in
                guard closeUnread(next.socket) else { return putBack(next) }
                let waiting = state.withLock { state in
                    state.calls.end(next.share)
                    return state.dequeueReady()
                }
                next.isClosed(waiting)
                closeNext()
            }
            if !isStarted { return putBack(next) }
        }
    }

    /// Leaves a socket open that cannot be closed now: the next check finds it again.
    private func putBack(_ closing: Closing) {
        state.withLock { state in
            state.calls.end(closing.share)
            state.closing.append(closing)
        }
    }

    /// Whether no such call is in progress or planned.
    var isEmpty: Bool { state.withLock { $0.calls.total == 0 && $0.waiting.isEmpty && $0.closing.isEmpty } }

    private func dequeueClosing() -> Closing? {
        state.withLock { state in
            guard let index = state.closing.firstIndex(where: { state.calls.begin($0.share) }) else { return nil }
            return state.closing.remove(at: index)
        }
    }
}
