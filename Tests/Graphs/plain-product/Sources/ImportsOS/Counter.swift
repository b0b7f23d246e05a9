// SPDX-License-Identifier: Apache-2.0

import os

/// A number that many threads count.
public final class Counter: Sendable {
    private let number = OSAllocatedUnfairLock(initialState: 0)

    /// A counter at zero.
    public init() {}

    /// Counts one more.
    ///
    /// - Returns: The number.
    public func count() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
