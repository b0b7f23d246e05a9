// SPDX-License-Identifier: Apache-2.0

/// A keychain, to be passed to code that uses one.
///
/// ``SystemKeychain`` is the real one; ``InMemoryKeychain`` is a faithful one for a test or a preview. The calls that
/// code makes are in extensions, on top of the few requirements of a conformer. Each exists twice: one blocks, and one
/// for asynchronous code waits on a thread of its own, so that none of Swift's threads waits for a user or a disk.
///
/// The requirements block, and are for conformers: code calls `set`, `contents` and so on.
public protocol KeychainProtocol: Sendable {
    /// Stores a new item.
    ///
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func addItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError)

    /// Stores an item, or replaces an existing one.
    ///
    /// The contents and protection of an existing item are replaced by the given ones; details that are not given stay.
    ///
    /// A key or a certificate has to be the one that the item names; another one is refused as `invalidRequest`, and so
    /// is a key under a label of the app's own, which does not identify the stored key: delete the item, and add it. A
    /// certificate does not replace another one with the same issuer and serial number: that is `duplicate`.
    ///
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func setItem(
        _ item: any KeychainItem,
        contents: ItemContents,
        protection: Protection,
        details: ItemDetails,
        authentication: Authentication
    ) throws(KeychainItemError)

    /// The contents of an item: data for a password, the key for a key, the certificate for a certificate.
    ///
    /// - Returns: The contents; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func itemContents(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemContents?

    /// The attributes of an item.
    ///
    /// - Returns: The attributes; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``; an item under an access control also requires authentication here.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func itemAttributes(
        of item: any KeychainItem,
        authentication: Authentication
    ) throws(KeychainItemError) -> ItemAttributes?

    /// Changes an existing item.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if another item has the new primary key.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func updateItem(
        _ item: any KeychainItem,
        with update: ItemUpdate,
        authentication: Authentication
    ) throws(KeychainItemError) -> Bool

    /// Deletes one item, locked or not; never prompts.
    ///
    /// - Returns: Whether it existed.
    /// - Throws: ``KeychainItemError``.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func deleteItem(_ item: any KeychainItem) throws(KeychainItemError) -> Bool

    /// The items of a selection, without their contents.
    ///
    /// - Throws: ``KeychainItemError``; also if a single item is locked.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func findItems<Item>(
        matching selection: ItemSelection<Item>,
        authentication: Authentication
    ) throws(KeychainItemError) -> [FoundItem<Item>]

    /// Deletes every item of a selection, locked or not; never prompts.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: ``KeychainItemError``.
    @available(*, noasync, message: "it blocks the thread; await the asynchronous call in the extension")
    func deleteItems<Item>(matching selection: ItemSelection<Item>) throws(KeychainItemError) -> Bool

    /// The changes that this process makes through this module from now on, and notifications of other programs'
    /// changes.
    var changes: KeychainChanges { get }
}

extension KeychainProtocol {
    /// None.
    public var changes: KeychainChanges { .none }
}
