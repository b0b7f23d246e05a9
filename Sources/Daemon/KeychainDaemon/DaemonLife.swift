// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Determines how long a daemon serves: until it is asked to stop, loses its store or socket, or is idle.
final class DaemonLife: Sendable {
    private struct State {
        var connections = 0
        var lastEnd = ContinuousClock.now
        var reason: String?
        var unfinished: (@Sendable () -> Bool)?
    }

    private let state = Mutex(State())
    private let holdsKeys: @Sendable () -> Bool
    private let idleSeconds: Int?
    private let isUnreachable: (@Sendable () -> Bool)?
    private let wake: @Sendable () -> Void
    private let interval: Int?

    /// The longest interval between two checks, in seconds, if only a signal or idleness can end the wait.
    private static let longestWait = 3600

    /// The same if the socket may be replaced: programs wait meanwhile.
    private static let socketWait = 5

    /// Creates the life of a daemon.
    ///
    /// - Parameters:
    ///   - idleSeconds: the idle timeout without connections; `nil` for none.
    ///   - holdsKeys: whether there are unlocked keys, which an exit loses; must not count as a use of the device.
    ///   - isUnreachable: whether its socket or its folder was replaced or removed, so that no program reaches it;
    ///     `nil` for a socket of the service manager.
    ///   - interval: the longest interval between two calls of `holdsKeys`, in seconds; `nil` if only idleness matters.
    ///   - wake: ends the wait for a signal.
    init(
        endsWhenIdleFor idleSeconds: Int?,
        holdsKeys: @escaping @Sendable () -> Bool,
        isUnreachable: (@Sendable () -> Bool)? = nil,
        checkedEvery interval: Int? = nil,
        wake: @escaping @Sendable () -> Void
    ) {
        self.idleSeconds = idleSeconds
        self.holdsKeys = holdsKeys
        self.isUnreachable = isUnreachable
        self.wake = wake
        self.interval = interval
    }

    /// Whether a program is connected.
    var hasConnections: Bool { state.withLock { $0.connections > 0 } }

    func beginConnection() { state.withLock { $0.connections += 1 } }

    func endConnection() {
        state.withLock {
            $0.connections -= 1
            $0.lastEnd = .now
        }
    }

    /// Carries out a task with each check until it succeeds.
    ///
    /// - Parameter task: returns whether it succeeded.
    func retry(_ task: @escaping @Sendable () -> Bool) { state.withLock { $0.unfinished = task } }

    /// Makes the daemon exit.
    func end(because reason: String) {
        state.withLock { $0.reason = $0.reason ?? reason }
        wake()
    }

    /// Waits until the daemon is to exit.
    ///
    /// - Returns: The reason.
    func waitForEnd(_ termination: Termination) -> String {
        let longest = min(isUnreachable == nil ? Self.longestWait : Self.socketWait, interval ?? Self.longestWait)
        let pause = idleSeconds.map { max(1, min($0 / 4, longest)) } ?? longest
        while true {
            let unfinished = state.withLock(\.unfinished)
            let signal = termination.wait(seconds: unfinished == nil ? pause : min(pause, Self.socketWait))
            if let reason = state.withLock(\.reason) { return reason }
            if let signal { return "received \(signal)" }
            if isUnreachable?() == true { return "its socket or its folder was replaced or removed" }
            if isIdle { return "it was idle" }
            if unfinished?() == true { state.withLock { $0.unfinished = nil } }
        }
    }

    /// Whether no program has been connected for a while, and nothing is lost on exit.
    ///
    /// A daemon that holds unlocked keys keeps running: otherwise items that are available after first unlock would
    /// need the passcode again.
    var isIdle: Bool {
        // It is called in any case: it closes what is not needed.
        guard !holdsKeys(), let idleSeconds else { return false }
        return isUnused(for: idleSeconds)
    }

    private func isUnused(for seconds: Int) -> Bool {
        state.withLock { $0.connections == 0 && $0.lastEnd.duration(to: .now) >= .seconds(seconds) }
    }
}

/// The signals that ask the daemon to exit: handled one at a time, by the thread that waits for them.
struct Termination {
    private var signals = sigset_t()

    /// Blocks the signals, for the calling thread and all that it starts.
    init() {
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Writing to a client that has disconnected is an error of the write.
        signal(SIGPIPE, SIG_IGN)
        // And so is writing beyond the limit of a file's size.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Waits for a signal, at most this long.
    ///
    /// - Returns: Its name; `nil` when the time is over.
    func wait(seconds: Int) -> String? {
        var signals = signals
        var time = timespec(tv_sec: seconds, tv_nsec: 0)
        switch sigtimedwait(&signals, nil, &time) {
        case SIGTERM: return "SIGTERM"
        case SIGINT: return "SIGINT"
        case SIGHUP: return "SIGHUP"
        default: return nil
        }
    }
}
