// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keychain as commands on items see it: the data protection keychain, or a keychain file.
protocol ItemStore: Sendable, ItemDestination, ItemSource {
    /// The path that is printed.
    var path: ByteText { get }

    /// The version of the file that is printed: 512 with partition lists, 256 without.
    var version: Int { get }

    /// Finds every item that can be shown; none where the keychain cannot be opened, which a search passes over.
    func items(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> [StoredItem]

    /// Finds the first of these items without reading more than it needs.
    func first(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> StoredItem?

    /// Refuses a keychain file that is damaged as a whole, or may not be read; one that is not there is none.
    ///
    /// - Throws: `errSecInvalidKeychain`, `errSecWrPerm`, `errSecIO`.
    func checkReadable() throws(KeychainError)

    /// Why there may be matching items that cannot be shown; `nil` when there are none.
    func obstacle(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> Status?

    /// Reads the secret of an item; an item without one has an empty one.
    func secret(of item: StoredItem) throws(KeychainError) -> SecretBytes

    /// Who may use an item; `nil` where items have no list of programs.
    func access(of item: StoredItem) throws(KeychainError) -> ItemAccess?

    /// Refuses to add where that is not possible, whatever the item is.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a keychain file that is locked.
    func checkCanAdd() throws(KeychainError)

    /// Adds an item.
    func add(
        _ itemClass: ItemClass,
        _ attributes: [String: PropertyValue],
        _ secret: SecretBytes,
        _ access: RequestedAccess
    ) throws(KeychainError)

    /// Changes attributes of an item; without a secret the old one stays.
    func update(
        _ item: StoredItem,
        _ attributes: [String: PropertyValue],
        _ secret: SecretBytes?,
        _ access: RequestedAccess
    ) throws(KeychainError)

    /// Deletes an item.
    func delete(_ item: StoredItem) throws(KeychainError)
}

extension ItemStore {
    /// Only a file cannot be read as a whole while others can.
    func checkReadable() throws(KeychainError) {}

    /// By default the first of all, for stores that list their items anyway.
    func first(_ itemClass: ItemClass, _ conditions: Conditions) throws(KeychainError) -> StoredItem? {
        try items(itemClass, conditions).first
    }

    /// Finds every item of a class that can be shown.
    func items(_ itemClass: ItemClass) throws(KeychainError) -> [StoredItem] { try items(itemClass, Conditions()) }
}

extension [any ItemStore] {
    /// Throws, instead of letting a search report nothing, if a searched keychain cannot be read.
    ///
    /// - Throws: `errSecInvalidKeychain`, `errSecWrPerm`, `errSecIO`.
    func checkReadable() throws(KeychainError) { for store in self { try store.checkReadable() } }

    /// Throws, instead of letting a search report nothing, if a searched keychain cannot be read or has items of some
    /// classes that cannot be shown.
    ///
    /// - Parameter classes: where what is looked for may be.
    /// - Throws: `errSecInteractionNotAllowed` and `errSecDecode` for such an item; as ``checkReadable()``.
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
