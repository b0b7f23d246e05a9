// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import Synchronization

/// A clock of a host that stands still until a test moves it.
public final class TestHostClock: HostClock {
    private let state = Mutex(State())

    private struct State {
        var boots = 1
        var seconds = 1_000.0
    }

    /// A host in its first boot.
    public init() {}

    /// The time of the host now.
    public var now: HostTime {
        state.withLock { HostTime(bootIdentifier: "boot \($0.boots)", secondsSinceBoot: $0.seconds) }
    }

    /// Lets time pass.
    public func advance(seconds: Double) { state.withLock { $0.seconds += seconds } }

    /// Boots the host anew: another boot, which counts its seconds from the beginning.
    public func reboot() {
        state.withLock { state in
            state.boots += 1
            state.seconds = 0
        }
    }
}
