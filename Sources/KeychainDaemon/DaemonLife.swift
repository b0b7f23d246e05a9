// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Until when a daemon serves: until it is asked to end, its store is gone, or nobody needs it.
final class DaemonLife: Sendable {
    private struct State {
        var connections = 0
        var lastEnd = ContinuousClock.now
        var reason: String?
    }

    private let state = Mutex(State())
    private let holdsKeys: @Sendable () -> Bool
    private let idleSeconds: Int?
    private let isUnreachable: (@Sendable () -> Bool)?
    private let wake: @Sendable () -> Void

    /// The longest time between two looks, in seconds: nothing but a signal or idleness ends the wait.
    private static let longestWait = 3600

    /// The same where the socket may be replaced: programs wait meanwhile.
    private static let socketWait = 5

    /// The life of a daemon.
    ///
    /// - Parameters:
    ///   - idleSeconds: for how long nobody may be connected; `nil` for any time.
    ///   - holdsKeys: whether keys are unlocked that an end would lose; must not count as a use of the device.
    ///   - isUnreachable: whether its socket is another's by now, so that no program finds it; `nil` for a socket of
    ///     the service manager.
    ///   - wake: ends the wait for a signal.
    init(
        endsWhenIdleFor idleSeconds: Int?,
        holdsKeys: @escaping @Sendable () -> Bool,
        isUnreachable: (@Sendable () -> Bool)? = nil,
        wake: @escaping @Sendable () -> Void
    ) {
        self.idleSeconds = idleSeconds
        self.holdsKeys = holdsKeys
        self.isUnreachable = isUnreachable
        self.wake = wake
    }

    func beginConnection() { state.withLock { $0.connections += 1 } }

    func endConnection() {
        state.withLock {
            $0.connections -= 1
            $0.lastEnd = .now
        }
    }

    /// Has the daemon end.
    func end(because reason: String) {
        state.withLock { $0.reason = $0.reason ?? reason }
        wake()
    }

    /// Waits until the daemon is to end.
    ///
    /// - Returns: Why.
    func waitForEnd(_ termination: Termination) -> String {
        let longest = isUnreachable == nil ? Self.longestWait : Self.socketWait
        let pause = idleSeconds.map { max(1, min($0 / 4, longest)) } ?? longest
        while true {
            let signal = termination.wait(seconds: pause)
            if let reason = state.withLock(\.reason) { return reason }
            if let signal { return "it was asked to by \(signal)" }
            if isUnreachable?() == true { return "its socket was replaced or removed" }
            if isIdle { return "nobody has used it" }
        }
    }

    /// Whether nobody has been connected for a while, and nothing is lost by the end.
    ///
    /// A daemon that holds unlocked keys goes on: items that are available after first unlock would wait for the
    /// passcode again.
    var isIdle: Bool {
        guard let idleSeconds, !holdsKeys() else { return false }
        return isUnused(for: idleSeconds)
    }

    private func isUnused(for seconds: Int) -> Bool {
        state.withLock { $0.connections == 0 && $0.lastEnd.duration(to: .now) >= .seconds(seconds) }
    }
}
