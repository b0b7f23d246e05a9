// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// That biometry recognized the owner, by which set and when.
struct Recognition: Sendable {
    let enrolledSet: Bytes16
    let time: HostTime

    /// Whether it is at most `seconds` old: never if that is 0, or if the host has booted since.
    func counts(at now: HostTime, forSeconds seconds: Double) -> Bool {
        guard seconds > 0, now.bootIdentifier == time.bootIdentifier else { return false }
        return (0...seconds).contains(now.secondsSinceBoot - time.secondsSinceBoot)
    }
}
