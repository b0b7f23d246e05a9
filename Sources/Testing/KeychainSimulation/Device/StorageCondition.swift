// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainStore

/// The condition of a device's storage; none of them loses stored items.
///
/// An item added in place of a damaged one stays, and the damaged one stays in quarantine.
public enum StorageCondition: Sendable, Hashable {
    /// Everything works.
    case healthy
    /// The disk is full: items can be read, but not added, changed or deleted.
    case full
    /// The storage is read-only: items can be read, but not added, changed or deleted.
    case readOnly
    /// One item is damaged; the reference is that of `kSecReturnPersistentRef`.
    case itemDamaged(persistentReference: Data)
    /// All present items are damaged.
    case everyItemDamaged
    /// The store file is damaged; for a device whose keychain is stored in files.
    case unreadable
    /// The root key, without which nothing opens, is missing; for a device whose keychain is stored in files.
    case rootKeyMissing
    /// The root key is damaged; for a device whose keychain is stored in files.
    case rootKeyDamaged
}

/// The current condition, and how to undo it.
struct ConditionInForce: Sendable {
    var condition = StorageCondition.healthy
    var damaged: [DamagedBytes] = []
}
