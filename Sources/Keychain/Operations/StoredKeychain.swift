// SPDX-License-Identifier: Apache-2.0

/// A keychain over an ``ItemStore``.
///
/// What conforms is public by `KeychainProtocol`, whose requirements the extension fulfils; the store is nobody else's.
protocol StoredKeychain: KeychainProtocol {
    var store: ItemStore { get }
}

extension StoredKeychain {
    /// Stores an item that is not there.
    public func addItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try store.add(contents, item, protection, details, authentication)
    }

    /// Stores an item, there or not.
    public func setItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try store.set(contents, item, protection, details, authentication)
    }

    /// What an item holds; `nil` when there is no such item.
    public func itemContents(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemContents? {
        try store.contents(item, authentication)
    }

    /// What the keychain says of an item; `nil` when there is no such item.
    public func itemAttributes(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemAttributes? {
        try store.attributes(item, authentication)
    }

    /// Changes an item; `false` when it is not there.
    public func updateItem(
        _ item: any KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication
    ) throws(KeychainItemError) -> Bool {
        try store.update(item, update, authentication)
    }

    /// Deletes one item; `false` when it is not there.
    public func deleteItem(_ item: any KeychainItem) throws(KeychainItemError) -> Bool { try store.delete(item) }

    /// The items of a selection.
    public func findItems<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication
    ) throws(KeychainItemError) -> [FoundItem<Item>] {
        try store.items(selection, authentication)
    }

    /// Deletes every item of a selection; `false` when there is none.
    public func deleteItems<Item>(matching selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool {
        try store.deleteAll(selection)
    }

    /// What this process changes through this module, from now on.
    public var changes: KeychainChanges { store.changes }
}
