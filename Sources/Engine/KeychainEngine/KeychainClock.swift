// SPDX-License-Identifier: Apache-2.0

// Which module owns `timespec` depends on which is imported first.
import CKeychainSupport
import Glibc
import KeychainCore

/// The source of creation and modification dates.
package protocol KeychainClock: Sendable {
    /// The time now.
    var now: Timestamp { get }
}

/// The system's wall clock.
package struct SystemClock: KeychainClock {
    /// The system's wall clock.
    package init() {}

    /// The current time, to the nanosecond as far as binary64 permits.
    package var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let seconds = Double(time.tv_sec) - Timestamp.referenceDateSince1970 + Double(time.tv_nsec) / 1e9
        return Timestamp(secondsSinceReferenceDate: seconds)
    }
}

/// A clock that stands still.
struct FixedClock: KeychainClock {
    let now: Timestamp
}

/// The clock that measures delays, idleness and the first unlock.
package protocol HostClock: Sendable {
    /// The time of the host now.
    var now: HostTime { get }
}

/// The kernel's clock since boot, sleep included (CLOCK_BOOTTIME), its `boot_id`, and its wall clock.
///
/// The clock since boot is that of the process's time namespace (time_namespaces(7)), which its user may choose; the
/// wall clock is global, and only root can set it.
package struct SystemHostClock: HostClock {
    /// The kernel's clocks.
    package init() {}

    /// The current time of the host; the boot has an empty identifier if the kernel provides none.
    package var now: HostTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return HostTime(
            bootIdentifier: Self.bootIdentifier,
            secondsSinceBoot: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            date: SystemClock().now
        )
    }

    private static let bootIdentifier: String = {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 36)
        return read(descriptor, &bytes, bytes.count) == bytes.count ? String(decoding: bytes, as: UTF8.self) : ""
    }()
}
