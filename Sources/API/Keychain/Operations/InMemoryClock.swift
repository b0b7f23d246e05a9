// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainCore
import KeychainEngine
import Synchronization

/// The clock of a device in memory: the host's, advanced when a test does not want to wait.
final class InMemoryClock: HostClock {
    private let lead = Mutex(0.0)

    var now: HostTime {
        var time = SystemHostClock().now
        let lead = lead.withLock { $0 }
        time.secondsSinceBoot += lead
        time.date.secondsSinceReferenceDate += lead
        return time
    }

    func advance(by seconds: Double) { lead.withLock { $0 += seconds } }
}
#endif
