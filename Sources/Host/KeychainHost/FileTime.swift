// SPDX-License-Identifier: Apache-2.0

import Glibc

/// When a file or a folder was last changed, by the clock of its file system.
package struct FileTime: Sendable, Hashable {
    /// Seconds since 1970.
    package let seconds: Int
    /// Nanoseconds of the second.
    package let nanoseconds: Int

    /// A time of stat(2).
    package init(_ time: timespec) {
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }

    /// Whether it is so long ago that another change has another time.
    package var isPast: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let age = (now.tv_sec - seconds) * 1_000_000_000 + now.tv_nsec - nanoseconds
        // File times have the resolution of the kernel's tick, at least a hundred times per second; those of some file
        // systems are whole numbers of one or two seconds.
        return age > (nanoseconds == 0 ? 3_000_000_000 : 100_000_000)
    }
}
