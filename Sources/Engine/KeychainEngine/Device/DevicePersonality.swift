// SPDX-License-Identifier: Apache-2.0

/// The kind of device that a keychain simulates, where kinds differ in what they enforce.
package enum DevicePersonality: Sendable, Hashable {
    /// A device.
    case device
    /// The iOS simulator: it has no key store, so that no state of the device makes keys unavailable, and access
    /// controls are not evaluated (Semantics, "Access control"; `TARGET_HAS_KEYSTORE` in Apple's sources).
    case simulator
    /// A file-based keychain: its password takes the place of a passcode, and may be empty.
    case keychainFile

    /// Whether a lock and a reboot make keys unavailable.
    var enforcesProtection: Bool { self != .simulator }

    /// Whether access controls protect items.
    var enforcesAccessControl: Bool { self == .device }
}
