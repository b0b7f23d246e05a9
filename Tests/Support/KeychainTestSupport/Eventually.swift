// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Waits until something is true: for as long as it takes, which a machine under load decides, but not for ever.
///
/// - Parameters:
///   - what: what is waited for, for whoever reads the test.
///   - isTrue: whether it has come true.
/// - Returns: Whether it came true within two minutes.
package func eventually(_ what: String, _ isTrue: () throws -> Bool) rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < limit {
        if try isTrue() { return true }
        usleep(2_000)
    }
    return false
}
