// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A clock that is a minute later whenever it is read.
final class SteppingClock: Sendable {
    let seconds = Mutex(800_000_000.0)

    func step() -> Timestamp {
        seconds.withLock {
            $0 += 60
            return Timestamp(secondsSinceReferenceDate: $0)
        }
    }
}
