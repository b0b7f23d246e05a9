// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The items of a keychain file, as the engine has them: in one access group, none synchronizable.
struct FileItems {
    private let keychain: EmbeddedKeychain

    private static let client = Client(accessGroups: ["items"])

    init(_ keychain: EmbeddedKeychain) { self.keychain = keychain }

    /// Every item in the order in which they were added, class by class.
    func all() throws(KeychainError) -> [KeychainFileItem] {
        var items: [KeychainFileItem] = []
        for itemClass in ItemClass.stored { items += try all(itemClass) }
        return items
    }

    private func all(_ itemClass: ItemClass) throws(KeychainError) -> [KeychainFileItem] {
        var query = Self.returning
        query[PropertyKey.itemClass] = .string(itemClass.rawValue)
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        let answer: KeychainAnswer
        do throws(KeychainError) {
            answer = try perform(.copyMatching(query))
        } catch {
            switch error.status {
            case .itemNotFound: return []
            // The damaged ones have been set aside.
            case .decode: answer = (try? perform(.copyMatching(query))) ?? .nothing
            default: throw error
            }
        }
        guard case .list(let values) = answer else { return [] }
        return values.compactMap { KeychainFileItem(itemClass, $0) }
    }

    /// What is sealed of an item.
    ///
    /// - Throws: `errSecInvalidItemRef`, `errSecInteractionNotAllowed` when the keychain is locked.
    func contents(of item: Bytes16) throws(KeychainError) -> ItemContents {
        var query = try query(of: item)
        query[PropertyKey.returnData] = .boolean(true)
        guard case .single(.data(let bytes)) = try perform(.copyMatching(query)) else { throw .unexpectedReply }
        return try ItemContents(bytes)
    }

    /// Adds an item.
    func add(_ item: KeychainFileItem, _ contents: ItemContents) throws(KeychainError) -> KeychainFileItem {
        var dictionary = Self.returning
        for (name, value) in Self.storable(item.attributes, item.itemClass) { dictionary[name] = value }
        dictionary[PropertyKey.itemClass] = .string(item.itemClass.rawValue)
        dictionary[PropertyKey.valueData] = .data(contents.encoded)
        guard case .single(let value) = try perform(.add(dictionary)),
            let added = KeychainFileItem(item.itemClass, value)
        else { throw .unexpectedReply }
        return added
    }

    /// Changes an item.
    func update(_ item: Bytes16, _ changes: KeychainFileItem.Changes) throws(KeychainError) {
        let query = try query(of: item)
        guard case .string(let name)? = query[PropertyKey.itemClass], let itemClass = ItemClass(rawValue: name) else {
            throw .invalidItem
        }
        var attributes = PropertyDictionary(Self.storable(changes.attributes, itemClass))
        if changes.secret != nil || changes.access != nil {
            var contents = try contents(of: item)
            if let secret = changes.secret { contents.secret = secret }
            if let access = changes.access { contents.access = access }
            attributes[PropertyKey.valueData] = .data(contents.encoded)
        }
        guard !attributes.entries.isEmpty else { return }
        _ = try perform(.update(query, attributes: attributes))
    }

    /// Removes an item.
    func remove(_ item: Bytes16) throws(KeychainError) { _ = try perform(.delete(try query(of: item))) }

    /// A query for an item by its class and its persistent reference.
    private func query(of item: Bytes16) throws(KeychainError) -> PropertyDictionary {
        for itemClass in ItemClass.stored {
            let reference = SecretBytes(Array(itemClass.rawValue.utf8) + item.bytes)
            let query = PropertyDictionary([
                PropertyKey.itemClass: .string(itemClass.rawValue),
                PropertyKey.valuePersistentReference: .data(reference),
            ])
            do throws(KeychainError) {
                var probe = query
                probe[PropertyKey.returnAttributes] = .boolean(true)
                _ = try perform(.copyMatching(probe))
                return query
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
        }
        throw .invalidItem
    }

    private func perform(_ operation: KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer {
        try keychain.perform(KeychainRequest(operation, client: Self.client))
    }

    private static let returning = PropertyDictionary([
        PropertyKey.returnAttributes: .boolean(true), PropertyKey.returnPersistentReference: .boolean(true),
    ])

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

extension KeychainFileItem {
    /// What the data protection keychain has, and keychain files do not.
    static let unknownAttributes: Set<AttributeName> = [
        .accessGroup, .accessible, .accessControl, .synchronizable, .tokenID, .sharingGroup, .tombstone, .user,
        .digest, .appClip, .systemBound, "UUID", "vwht",
    ]

    /// The item of a result dictionary.
    fileprivate init?(_ itemClass: ItemClass, _ value: ResultValue) {
        guard case .dictionary(let entries) = value,
            case .data(let reference)? = entries[PropertyKey.valuePersistentReference],
            let identifier = Bytes16(reference.unprotectedCopy.dropFirst(4))
        else { return nil }
        let attributes = entries.filter { key, _ in
            AttributeName(key).map { !Self.unknownAttributes.contains($0) } ?? false
        }
        self.init(identifier: identifier, itemClass: itemClass, attributes: attributes)
    }
}
