// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Testing

/// Times of files, by a clock that may be wrong.
struct FileTimeTests {
    @Test(
        "a time that is centuries away is in the past or not, and ends no program",
        arguments: [
            (-10_000_000_000, true), (Int.min, true), (0, true), (100_000_000_000, false), (Int.max, false),
        ]
    )
    func centuries(_ seconds: Int, isPast: Bool) {
        #expect(FileTime(timespec(tv_sec: seconds, tv_nsec: 5)).isPast == isPast)
    }
}
