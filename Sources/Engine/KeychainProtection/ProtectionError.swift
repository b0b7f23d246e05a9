// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The failures with keys and sealed rows.
package enum ProtectionError: Error, Sendable, Hashable {
    /// No memory for keys could be had.
    case noMemory
    /// The root key does not open the keybag: it belongs to another store.
    case wrongRootKey
    /// The keybag is cut short, altered or of an unknown shape.
    case damagedKeybag(String)
    /// The key is that of another keybag's passcode slot.
    case otherSlot
    /// The keybag was written by a newer version.
    case newerKeybag(version: Int)
    /// The root key is of a kind that this program cannot use.
    case unsupportedRootKey(RootKeyKind)
    /// Another program owns the store.
    case foreignOwner(StoreOwner)
    /// The rows of a backup are not those that were put into it.
    case alteredBackup
    /// The keys of the protection class are not available now: the device is locked.
    case classUnavailable(String)
    /// The keybag has no recovery key.
    case noRecoveryKey
    /// No passcode is set, and the protection class is one for devices that have one.
    case noPasscode
    /// The item's key depends on an application password, and its key was not given.
    case passwordMissing
    /// A row does not open: it was altered, cut short, or put together from other rows.
    case damagedRow(RowDamage)
    /// A sealed key of the enclave was altered, or another device sealed it.
    case damagedKey
    /// A sealed key of the enclave went with an earlier passcode.
    case destroyedKey
    /// An item exceeds the size limit of the store.
    case tooLarge
    /// A cryptographic operation failed that cannot fail with valid keys.
    case cryptography(String)
}

/// The reason why a row failed to open; the raw value is stored with a row in quarantine.
package enum RowDamage: Int, Sendable, Hashable, CaseIterable {
    /// The metadata does not authenticate.
    case metadata = 1
    /// The secret does not authenticate.
    case secret = 2
    /// The metadata opens, but is not a list of attributes.
    case encoding = 3
    /// A search tag or a clear column contradicts the attributes.
    case contradiction = 4
    /// The row names a protection class or key generation that the keybag does not have.
    case unknownKey = 5
    /// A column contains more than a store writes into it.
    case oversized = 6
    /// The header of the application password specifies less work than is permitted.
    case passwordWork = 7
    /// The secret opens, but its padding is not that of its length.
    case padding = 8

    /// Whether the attributes open, and the secret alone does not.
    package var isOfSecret: Bool { [.secret, .passwordWork, .padding].contains(self) }
}
