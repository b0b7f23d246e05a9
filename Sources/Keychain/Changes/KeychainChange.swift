// SPDX-License-Identifier: Apache-2.0

/// Something that this process changed in the keychain through this module; never what an item holds.
public enum KeychainChange: Sendable {
    /// An item was added.
    case added(any KeychainItem)
    /// An item was set: added, or changed.
    case set(any KeychainItem)
    /// An item was changed, and is the second one from now on.
    case updated(any KeychainItem, now: any KeychainItem)
    /// An item was deleted.
    case deleted(any KeychainItem)
    /// Many items were deleted: the class, and the selection in words.
    case deletedAll(ItemKey.Class, selection: String)
    /// The listener was too slow, and so many changes before the next one are lost: read anew what you need.
    case missed(Int)
}
