// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension Protection {
    /// In which states of the device an item can be read and changed.
    public enum Accessibility: Sendable, Hashable, CaseIterable {
        /// While the device is unlocked.
        case whenUnlocked
        /// Once the device was unlocked after it booted; what works in the background needs this.
        case afterFirstUnlock
        /// Always; deprecated by Apple, and here to name what older code stored.
        case always
        /// While the device is unlocked; not restored to another device.
        case whenUnlockedThisDeviceOnly
        /// Once the device was unlocked after it booted; not restored to another device.
        case afterFirstUnlockThisDeviceOnly
        /// Always, not restored to another device; deprecated by Apple, and here to name what older code stored.
        case alwaysThisDeviceOnly
        /// While the device is unlocked and has a passcode; gone with the passcode, and in no backup.
        case whenPasscodeSetThisDeviceOnly
    }
}

extension Protection.Accessibility {
    /// The value of `kSecAttrAccessible`.
    var constant: CFString {
        switch self {
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        case .always: "dk" as CFString
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .alwaysThisDeviceOnly: "dku" as CFString
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }

    /// The level of a value of `kSecAttrAccessible`.
    init?(constant: String) {
        guard let level = Self.allCases.first(where: { ($0.constant as String) == constant }) else { return nil }
        self = level
    }
}
