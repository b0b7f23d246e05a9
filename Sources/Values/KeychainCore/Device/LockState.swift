// SPDX-License-Identifier: Apache-2.0

/// Whether a device makes the keys available of its protection classes, as one process sees it (Semantics, "Protection
/// levels").
///
/// A device without a passcode is always unlocked. "First unlock" is since the host booted. Without a service between
/// processes each process unlocks for itself, and all of them lock together.
package enum LockState: String, Sendable, Hashable, CaseIterable {
    /// The passcode was not given to this process since the host booted, or since the process began.
    case beforeFirstUnlock = "before first unlock"
    /// The keys of every class are there.
    case unlocked
    /// The passcode was given, and then the device was locked.
    case locked
}
