// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainCore
import KeychainEngine
import KeychainServices

/// A keychain in memory for a test or a preview: empty at first, gone with the object, and in everything else as the real one.
///
/// It has the rules of the keychain and not a dictionary's: it can be locked, its items are unique by their keys and nothing else,
/// and it has access groups of its own. Its device has a passcode, and a person who is asked by what ``person`` says. It is here on
/// Linux only. For a device that does more, see `VirtualDevice` in `KeychainTesting`.
public final class InMemoryKeychain: KeychainProtocol {
    private let store: ItemStore
    private let device: InMemoryDevice

    /// A keychain.
    ///
    /// - Parameter accessGroups: the groups that may be used; the first is the default.
    public init(accessGroups: [String] = ["com.example.app"]) {
        device = InMemoryDevice()
        let context = KeychainContext(backend: device.keychain, client: Client(accessGroups: accessGroups))
        store = ItemStore(EngineTransport(context))
    }

    /// What the person does when asked.
    public var person: Person {
        get { device.person }
        set { device.person = newValue }
    }

    /// Whether the device is locked.
    public var isLocked: Bool {
        get { device.isLocked }
        set { device.isLocked = newValue }
    }

    /// What a person does when asked who they are.
    public enum Person: Sendable, Hashable, CaseIterable {
        /// Shows what is asked for.
        case agrees
        /// Cancels.
        case cancels
        /// Is somebody else.
        case isAStranger
    }

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
#endif
