// SPDX-License-Identifier: Apache-2.0

/// The availability of a device's protection classes, from the view of one process (Semantics, "Protection levels").
///
/// A device without a passcode is always unlocked. "First unlock" refers to the boot of the host. Without a service for
/// several processes, each process unlocks for itself, and all of them lock together.
package enum LockState: String, Sendable, Hashable, CaseIterable {
    /// The passcode was not entered in this process since the host booted, or since the process started.
    case beforeFirstUnlock = "before first unlock"
    /// The keys of every class are available.
    case unlocked
    /// The passcode was entered, and then the device was locked.
    case locked
}
