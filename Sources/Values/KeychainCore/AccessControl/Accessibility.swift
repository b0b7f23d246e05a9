// SPDX-License-Identifier: Apache-2.0

/// A protection class: when an item's keys are available (Semantics, "Protection levels").
///
/// The raw value is the string for `kSecAttrAccessible`.
package enum Accessibility: String, Sendable, Hashable, CaseIterable {
    /// `kSecAttrAccessibleWhenUnlocked`.
    case whenUnlocked = "ak"
    /// `kSecAttrAccessibleAfterFirstUnlock`.
    case afterFirstUnlock = "ck"
    /// `kSecAttrAccessibleAlways`.
    case always = "dk"
    /// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
    case whenUnlockedThisDeviceOnly = "aku"
    /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// `kSecAttrAccessibleAlwaysThisDeviceOnly`.
    case alwaysThisDeviceOnly = "dku"
    /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// The private class "until reboot": the parser accepts it, but nothing can be stored under it.
    case untilReboot = "f"
}

extension Accessibility {
    /// The levels under which items can be stored: all but the private "until reboot".
    package static let stored = allCases.filter { $0 != .untilReboot }

    /// Whether the keys are available in every lock state.
    package var isAlwaysAvailable: Bool { self == .always || self == .alwaysThisDeviceOnly }

    /// Whether the keys, once available, stay available when the device is locked.
    package var outlivesLock: Bool {
        isAlwaysAvailable || self == .afterFirstUnlock || self == .afterFirstUnlockThisDeviceOnly
    }

    /// Whether items are excluded from backups that are restored to another device.
    package var isForThisDeviceOnly: Bool {
        switch self {
        case .whenUnlocked, .afterFirstUnlock, .always: false
        default: true
        }
    }

    /// Apple's constant for the level.
    package var constantName: String {
        switch self {
        case .whenUnlocked: "kSecAttrAccessibleWhenUnlocked"
        case .afterFirstUnlock: "kSecAttrAccessibleAfterFirstUnlock"
        case .always: "kSecAttrAccessibleAlways"
        case .whenUnlockedThisDeviceOnly: "kSecAttrAccessibleWhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"
        case .alwaysThisDeviceOnly: "kSecAttrAccessibleAlwaysThisDeviceOnly"
        case .whenPasscodeSetThisDeviceOnly: "kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly"
        case .untilReboot: "kSecAttrAccessibleUntilReboot"
        }
    }
}
