// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainStore

/// What the storage of a device is like; nothing that was stored is lost by any of it.
///
/// An item that is added in the place of a damaged one stays there; the damaged one is in quarantine from then on.
public enum StorageCondition: Sendable, Hashable {
    /// Everything works.
    case healthy
    /// There is no room: items can be read, and neither added, changed nor deleted.
    case full
    /// Nothing can be written: items can be read, and neither added, changed nor deleted.
    case readOnly
    /// What is stored of one item does not open; the reference is that of `kSecReturnPersistentRef`.
    case itemDamaged(persistentReference: Data)
    /// What is stored of the items that are there now does not open.
    case everyItemDamaged
    /// The file cannot be read as a store; for a device whose keychain lies in a file.
    case unreadable
    /// The key of the device, without which nothing opens, is gone; for a device whose keychain lies in a file.
    case rootKeyMissing
    /// The key of the device is not one; for a device whose keychain lies in a file.
    case rootKeyDamaged
}

/// The condition that was set last, and what undoes it.
struct ConditionInForce: Sendable {
    var condition = StorageCondition.healthy
    var damaged: [DamagedBytes] = []
}
