// SPDX-License-Identifier: Apache-2.0

/// A keychain over an ``ItemOperations``.
///
/// Conformers are public as `KeychainProtocol`, whose requirements the extension implements; the store stays internal.
protocol StoredKeychain: KeychainProtocol {
    var store: ItemOperations { get }
}

extension StoredKeychain {
    /// Stores a new item.
    public func addItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try store.add(contents, of: item, protection: protection, details: details, authentication: authentication)
    }

    /// Stores an item, or replaces an existing one.
    public func setItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError) {
        try store.set(contents, of: item, protection: protection, details: details, authentication: authentication)
    }

    /// The contents of an item; `nil` if there is no such item.
    public func itemContents(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemContents? {
        try store.contents(item, authentication)
    }

    /// The attributes of an item; `nil` if there is no such item.
    public func itemAttributes(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemAttributes? {
        try store.attributes(item, authentication)
    }

    /// Changes an item; `false` if it does not exist.
    public func updateItem(
        _ item: any KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication
    ) throws(KeychainItemError) -> Bool {
        try store.update(item, with: update, authentication: authentication)
    }

    /// Deletes one item; `false` if it does not exist.
    public func deleteItem(_ item: any KeychainItem) throws(KeychainItemError) -> Bool { try store.delete(item) }

    /// The items of a selection.
    public func findItems<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication
    ) throws(KeychainItemError) -> [FoundItem<Item>] {
        try store.items(selection, authentication)
    }

    /// Deletes every item of a selection; `false` if there is none.
    public func deleteItems<Item>(matching selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool {
        try store.deleteAll(selection)
    }

    /// The changes that this process makes through this module from now on.
    public var changes: KeychainChanges { store.changes }
}

/// The keychain of the Security module: the user's, or in a test that of the app that the test runs as.
///
/// On Linux a set is one transaction; on Apple platforms it is an update, an add if there was nothing, and both again
/// if the item was added meanwhile. This module is not built for Apple platforms here: its behaviour there is tested
/// with the same calls over the item functions.
public struct SystemKeychain: StoredKeychain {
    let store: ItemOperations

    /// The keychain.
    public init() {
        #if canImport(Darwin)
        store = ItemOperations(FunctionTransport.shared)
        #else
        store = ItemOperations(EngineTransport())
        #endif
    }

    /// The keychain, reached in a certain way.
    package init(_ transport: any ItemTransport) { store = ItemOperations(transport) }
}
