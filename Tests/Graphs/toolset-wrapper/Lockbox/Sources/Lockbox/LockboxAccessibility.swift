// SPDX-License-Identifier: Apache-2.0

import Foundation

/// When an item can be read.
public enum LockboxAccessibility {
    /// While the device is unlocked.
    case whenUnlocked
    /// From the first unlock after a restart on.
    case afterFirstUnlock

    var attribute: CFString {
        switch self {
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        }
    }
}

/// A status of the keychain.
public struct LockboxError: Error, CustomStringConvertible {
    /// The status.
    public let status: OSStatus

    /// The keychain's own message.
    public var description: String { SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)" }
}
