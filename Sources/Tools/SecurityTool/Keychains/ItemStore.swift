// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keychain as item commands use it: the data protection keychain, or a keychain file.
protocol ItemStore: Sendable, ItemDestination, ItemSource {
    /// The path to print.
    var path: ByteText { get }

    /// The file version to print: 512 with partition lists, 256 without.
    var version: Int { get }

    /// Finds every item that can be shown; none if the keychain cannot be opened, which a search skips.
    func items(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> [StoredItem]

    /// Finds the first of these items without reading more than necessary.
    func first(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> StoredItem?

    /// Throws for a keychain file that is damaged as a whole, or may not be read; a missing one counts as empty.
    ///
    /// - Throws: `errSecInvalidKeychain`, `errSecWrPerm`, `errSecIO`.
    func checkReadable() throws(KeychainError)

    /// Why there may be matching items that cannot be shown; `nil` if there are none.
    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status?

    /// Reads the secret of an item; an item without one has an empty secret.
    func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes

    /// The access list of an item; `nil` if items have no access lists.
    func access(of item: StoredItem) throws(KeychainError) -> ItemAccess?

    /// Throws if no item can be added.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a keychain file that is locked.
    func checkCanAdd() throws(KeychainError)

    /// Adds an item.
    func add(
        _ itemClass: ItemClass,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: RequestedAccess
    ) throws(KeychainError)

    /// Changes attributes of an item; without a secret the old one is kept.
    func update(
        _ item: StoredItem,
        attributes: [String: PropertyValue],
        secret: SecretBytes?,
        access: RequestedAccess
    ) throws(KeychainError)

    /// Deletes an item.
    func delete(_ item: StoredItem) throws(KeychainError)
}

extension ItemStore {
    /// Only a file can be unreadable as a whole while others are readable.
    func checkReadable() throws(KeychainError) {}

    /// By default the first of all items, for stores that list their items anyway.
    func first(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> StoredItem? {
        try items(itemClass, conditions).first
    }

    /// Finds every item of a class that can be shown.
    func items(_ itemClass: ItemClass) throws(KeychainError) -> [StoredItem] { try items(itemClass, Conditions()) }
}

extension [any ItemStore] {
    /// Throws, rather than having a search report nothing, if a searched keychain cannot be read.
    ///
    /// - Throws: `errSecInvalidKeychain`, `errSecWrPerm`, `errSecIO`.
    func checkReadable() throws(KeychainError) { for store in self { try store.checkReadable() } }

    /// Throws, rather than having a search report nothing, if a searched keychain cannot be read or has items of some
    /// classes that cannot be shown.
    ///
    /// - Parameter classes: the classes to search.
    /// - Throws: `errSecInteractionNotAllowed` and `errSecDecode` for such an item; the errors of ``checkReadable()``.
    func checkWithholdsNothing(of classes: [ItemClass]) throws(KeychainError) {
        for itemClass in classes {
            var obstacle = try obstacle(itemClass, Conditions())
            if obstacle == nil, itemClass == .certificate { obstacle = try statusOfDamagedCertificate() }
            switch obstacle {
            case nil: continue
            case .decode?: throw KeychainError(.decode, "an item of the keychain is damaged")
            case let status?: throw KeychainError(status, "an item of the keychain cannot be read now")
            }
        }
        try checkReadable()
    }

    private func statusOfDamagedCertificate() throws(KeychainError) -> Status? {
        for store in self {
            if try StoredCertificate.isAnyDamaged(in: store) { return .decode }
        }
        return nil
    }

    /// Why the keychains do not show some items that satisfy conditions; `nil` if they show all.
    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status? {
        for store in self {
            if let obstacle = try store.obstacle(itemClass, conditions) { return obstacle }
        }
        return nil
    }

    /// The status of a search that found nothing: errSecItemNotFound, or why the keychains do not show what there is.
    ///
    /// - Throws: as ``checkReadable()``.
    func statusOfEmptySearch(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status {
        if let obstacle = try obstacle(itemClass, conditions) { return obstacle }
        try checkReadable()
        return .itemNotFound
    }
}
