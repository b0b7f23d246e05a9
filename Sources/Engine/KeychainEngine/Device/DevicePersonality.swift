// SPDX-License-Identifier: Apache-2.0

/// What kind of device a keychain plays, where kinds differ in what they enforce.
package enum DevicePersonality: Sendable, Hashable {
    /// A device.
    case device
    /// The simulator of iOS: it has no key store, so that no state of the device takes a key away, and nothing that an
    /// access control asks for is looked at (Semantics, "Access control"; `TARGET_HAS_KEYSTORE` in Apple's sources).
    case simulator
    /// A file-based keychain: its password takes the place of a passcode, and may be empty.
    case keychainFile

    /// Whether a lock and a reboot take keys away.
    var enforcesProtection: Bool { self != .simulator }

    /// Whether an item is kept from who has not shown what its access control asks for.
    var enforcesAccessControl: Bool { self == .device }
}
