// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainMacFrontEnd
import KeychainProtection

/// The items of a keychain file, as the engine has them: in one access group, none synchronizable.
struct FileItems {
    private let keychain: EmbeddedKeychain

    /// The access group of all items.
    static let group = "items"

    private static let client = Client(accessGroups: [group])

    init(_ keychain: EmbeddedKeychain) { self.keychain = keychain }

    /// Every item in the order in which they were added, class by class; then those that no search finds, without
    /// attributes.
    func all() throws(KeychainError) -> [KeychainFileItem] {
        var items: [KeychainFileItem] = []
        var unreadable: [KeychainFileItem] = []
        for itemClass in ItemClass.stored {
            let found = try all(itemClass)
            items += found
            unreadable +=
                try keychain
                .unreadableItems(itemClass, besides: Set(found.map(\.identifier)), exceptIn: FileSettings.group)
                .map { KeychainFileItem(identifier: $0, itemClass: itemClass, attributes: [:]) }
        }
        return items + unreadable
    }

    /// Those that meet conditions, in the same order.
    func all(_ conditions: FileItemConditions) throws(KeychainError) -> [KeychainFileItem] {
        guard ItemClass.stored.contains(conditions.itemClass) else { return [] }
        return try all(conditions.itemClass).matching(conditions)
    }

    private func all(_ itemClass: ItemClass) throws(KeychainError) -> [KeychainFileItem] {
        var query = PropertyDictionary([PropertyKey.itemClass: .string(itemClass.rawValue)]).returning([])
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        let answer: KeychainAnswer
        do throws(KeychainError) {
            answer = try observe(.copyMatching(query))
        } catch {
            switch error.status {
            case .itemNotFound: return []
            // Those whose attributes do not open have been set aside.
            case .decode: answer = (try? observe(.copyMatching(query))) ?? .nothing
            default: throw error
            }
        }
        guard case .list(let values) = answer else { return [] }
        return values.compactMap { KeychainFileItem(itemClass, $0) }
    }

    /// The sealed contents of an item, after they were compared with its public attributes.
    ///
    /// - Throws: `errSecInvalidItemRef`, `errSecInteractionNotAllowed` if the keychain is locked, `errSecDecode` for an
    ///   item that was altered without knowing the password.
    func contents(of item: Bytes16) throws(KeychainError) -> SealedContents { try stored(item).contents }

    /// The class of an item that no search finds; `nil` for others.
    private func unreadableClass(_ item: Bytes16) throws(KeychainError) -> ItemClass? {
        try all().first { $0.identifier == item && $0.isUnreadable }?.itemClass
    }

    private func stored(
        _ identifier: Bytes16
    ) throws(KeychainError) -> (item: KeychainFileItem, contents: SealedContents) {
        let (query, itemClass) = try query(of: identifier)
        let reading = query.returning([PropertyKey.returnData])
        guard case .single(.dictionary(let entries)) = try perform(.copyMatching(reading)),
            case .data(let bytes)? = entries[PropertyKey.valueData],
            let item = KeychainFileItem(itemClass, .dictionary(entries))
        else { throw .unexpectedReply }
        let contents = try SealedContents(bytes)
        var attributes = item.attributes
        attributes.setLookup(try keychain.lookupRecord(of: identifier, itemClass))
        guard item.identifier == identifier, try contents.attributes == AttributeDigest.of(attributes, itemClass)
        else { throw .alteredAttributes }
        return (item, contents)
    }

    /// Adds an item.
    func add(
        _ item: KeychainFileItem,
        secret: SecretBytes,
        access: ItemAccess
    ) throws(KeychainError) -> KeychainFileItem {
        try SealedContents.check(secret)
        let attributes = Self.storable(item.attributes, item.itemClass)
        let contents = SealedContents(
            access: access,
            secret: secret,
            attributes: try AttributeDigest.of(attributes, item.itemClass)
        )
        var dictionary = PropertyDictionary(attributes).returning([])
        dictionary[PropertyKey.itemClass] = .string(item.itemClass.rawValue)
        dictionary[PropertyKey.valueData] = .data(contents.encoded)
        guard case .single(let value) = try perform(.add(dictionary)),
            let added = KeychainFileItem(item.itemClass, value)
        else { throw .unexpectedReply }
        return added
    }

    /// Changes an item; its partition list stays unchanged.
    ///
    /// - Throws: Among others, the errors of ``contents(of:)``; `errSecInteractionNotAllowed` for an access list with
    ///   another partition list, for which macOS prompts for the password.
    func update(_ item: Bytes16, _ changes: KeychainFileItem.Changes) throws(KeychainError) {
        let (old, oldContents) = try stored(item)
        var contents = oldContents
        let changed = Self.storable(changes.attributes, old.itemClass)
        if let secret = changes.secret {
            try SealedContents.check(secret)
            contents.secret = secret
        }
        if let access = changes.access {
            let partitions = oldContents.access.partitions
            guard !access.hasPartitionList || access.partitions == partitions else {
                throw KeychainError(
                    .interactionNotAllowed,
                    "the partition list of an item is changed with the password of its keychain, by 'security'"
                )
            }
            contents.access = access
            contents.access.partitions = partitions
        }
        contents.attributes = try AttributeDigest.of(old.attributes.merging(changed) { $1 }, old.itemClass)
        try store(contents, changed, in: old)
    }

    /// Replaces a password whose contents do not verify by a new one, using only the given attributes: the old contents
    /// cannot be trusted.
    ///
    /// In two steps: after a failure the old one may be gone.
    ///
    /// - Throws: `failure` for an item of another class.
    func remake(
        _ item: Bytes16,
        attributes: [String: PropertyValue],
        secret: SecretBytes,
        access: ItemAccess,
        after failure: KeychainError
    ) throws(KeychainError) {
        let unreadable = try unreadableClass(item)
        let itemClass = if let unreadable { unreadable } else { try query(of: item).itemClass }
        guard itemClass == .genericPassword || itemClass == .internetPassword else { throw failure }
        let made = KeychainFileItem(identifier: item, itemClass: itemClass, attributes: attributes)
        try remove(item)
        _ = try add(made, secret: secret, access: access)
    }

    /// Replaces the partition list of an item.
    func setPartitions(_ partitions: [String], of item: Bytes16) throws(KeychainError) {
        var (old, contents) = try stored(item)
        contents.access.partitions = partitions
        try store(contents, [:], in: old)
    }

    private func store(
        _ contents: SealedContents,
        _ changed: [String: PropertyValue],
        in item: KeychainFileItem
    ) throws(KeychainError) {
        var attributes = PropertyDictionary(changed)
        attributes[PropertyKey.valueData] = .data(contents.encoded)
        _ = try perform(.update(try query(of: item.identifier).query, attributes: attributes))
    }

    /// Removes an item.
    func remove(_ item: Bytes16) throws(KeychainError) {
        do throws(KeychainError) {
            _ = try perform(.delete(try query(of: item).query))
        } catch {
            guard let itemClass = try unreadableClass(item) else { throw error }
            try keychain.removeUnreadableItem(itemClass, item)
        }
    }

    /// A query for an item by its class and its persistent reference.
    private func query(
        of item: Bytes16
    ) throws(KeychainError) -> (query: PropertyDictionary, itemClass: ItemClass) {
        for itemClass in ItemClass.stored {
            let query = PropertyDictionary([
                PropertyKey.itemClass: .string(itemClass.rawValue),
                PropertyKey.valuePersistentReference: .data(item.persistentReference(of: itemClass)),
            ])
            do throws(KeychainError) {
                _ = try observe(.copyMatching(query.returning([])))
                return (query, itemClass)
            } catch {
                // The class of a damaged item is also known, and the operation on it reports the damage.
                if error.status == .decode { return (query, itemClass) }
                guard error.status == .itemNotFound else { throw error }
            }
        }
        guard try unreadableClass(item) == nil else { throw .damagedItem("what is stored of the item was altered") }
        throw .invalidItem
    }

    /// Carries out a command by lookup attributes.
    func perform(_ operation: LookupRequest.Operation) throws(KeychainError) -> KeychainReply {
        try keychain.perform(.lookup(LookupRequest(operation, client: Self.client)))
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(KeychainRequest(operation, client: Self.client))
    }

    /// Reads attributes, which takes no password, and therefore does not defer the automatic lock.
    private func observe(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try keychain.observe(KeychainRequest(operation, client: Self.client))
    }

    /// The attributes that an item of a class can have in a keychain file; all others are ignored (Semantics,
    /// "Parameters of the file-based keychain").
    private static func storable(
        _ attributes: [String: PropertyValue],
        _ itemClass: ItemClass
    ) -> [String: PropertyValue] {
        let schema = ItemSchema.of(itemClass)
        return attributes.filter { name, _ in
            guard let name = AttributeName(name), let column = schema[name], column.access == .open else {
                return false
            }
            return !KeychainFileItem.unknownAttributes.contains(name)
        }
    }
}

extension [String: PropertyValue] {
    /// Adds the lookup attributes of an item, which no dictionary has.
    mutating func setLookup(_ record: LookupRecord?) {
        self[AttributeName.lookup.description] = record.map { .data(SecretBytes($0.encoded)) }
    }
}

extension KeychainError {
    static let alteredAttributes = KeychainError.damagedItem(
        "the attributes of the item were changed without the password of the keychain"
    )

    /// The error for a part of a keychain file that was altered.
    static func damagedItem(_ reason: String) -> KeychainError {
        KeychainError(.decode, reason, kind: .keys(.damagedItem))
    }
}

extension KeychainFileItem {
    /// Attributes that the data protection keychain has, and keychain files do not.
    static let unknownAttributes: Set<AttributeName> = [
        .accessGroup, .accessible, .accessControl, .synchronizable, .tokenID, .sharingGroup, .tombstone, .user,
        .digest, .appClip, .systemBound, "UUID", "vwht",
    ]

    /// The item of a result dictionary.
    fileprivate init?(_ itemClass: ItemClass, _ value: ResultValue) {
        guard case .dictionary(let entries) = value,
            case .data(let reference)? = entries[PropertyKey.valuePersistentReference],
            let identifier = ItemIdentifier(persistentReference: reference)
        else { return nil }
        let attributes = entries.filter { key, _ in
            AttributeName(key).map { !Self.unknownAttributes.contains($0) } ?? false
        }
        self.init(identifier: identifier, itemClass: itemClass, attributes: attributes)
    }
}

extension PropertyDictionary {
    /// The dictionary, requesting the attributes, the persistent reference, and the other named results.
    fileprivate func returning(_ others: [String]) -> PropertyDictionary {
        var dictionary = self
        for key in [PropertyKey.returnAttributes, PropertyKey.returnPersistentReference] + others {
            dictionary[key] = .boolean(true)
        }
        return dictionary
    }
}
