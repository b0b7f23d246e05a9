// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An update of `kSecAttrSynchronizable` that moves items from one keychain to the other (Semantics, "Moving items
/// between keychains").
///
/// The front end considers every item of the data protection keychain synchronizable, and no item of a file; a new
/// value that differs moves the item.
struct SynchronizableMove {
    typealias Side = FrontEndKeychain.Side
    typealias Ask = (Side, KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer

    private let query: PropertyDictionary
    private let changes: PropertyDictionary
    private let source: Side

    private static let synchronizable = AttributeName.synchronizable.description
    private static let dates = [AttributeName.creationDate.description, AttributeName.modificationDate.description]

    /// Attributes of a found item that only its own keychain uses.
    private static let privateNames: Set<String> = [
        AttributeName.digest.description, AttributeName.user.description, AttributeName.tombstone.description,
    ]

    /// The move that an update requires in a keychain; `nil` for an update in place.
    init?(_ query: PropertyDictionary, _ changes: PropertyDictionary, from source: Side) {
        guard let value = changes[Self.synchronizable], value.isTrueForRouting != (source == .dataProtection) else {
            return nil
        }
        self.query = query
        self.changes = changes
        self.source = source
    }

    private var destination: Side { source == .dataProtection ? .files : .dataProtection }

    /// Moves the matches, one by one.
    ///
    /// - Throws: The last failure; what could not be moved stays.
    func perform(_ ask: Ask) throws(KeychainError) {
        var failure: KeychainError?
        for item in try items(ask) {
            do throws(KeychainError) { try move(item, ask) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The items to move: from the data protection keychain one item, regardless of the limit.
    private func items(_ ask: Ask) throws(KeychainError) -> [[String: PropertyValue]] {
        var fetch = query.removing { key in
            FrontEndKeys.returnKeys.contains(key) || key == PropertyKey.valueData
                || source == .dataProtection && FrontEndKeys.matchKeys.contains(key)
        }
        fetch[PropertyKey.returnAttributes] = .boolean(true)
        if source == .files { fetch[PropertyKey.returnPersistentReference] = .boolean(true) }
        if changes[PropertyKey.valueData] == nil { fetch[PropertyKey.returnData] = .boolean(true) }
        return try ask(source, .copyMatching(fetch)).values.compactMap { value in
            guard case .dictionary(var item) = value else { return nil }
            // With the attributes alone the data protection keychain returns no class.
            item[PropertyKey.itemClass] = item[PropertyKey.itemClass] ?? itemClass
            return item
        }
    }

    /// The class that the query names, by its reference if not otherwise.
    private var itemClass: PropertyValue? {
        if let given = query[PropertyKey.itemClass] { return given }
        switch (query[PropertyKey.valueReference], query[PropertyKey.valuePersistentReference]) {
        case (.reference(let reference)?, _): return .string(reference.itemClass.rawValue)
        case (_, .data(let bytes)?): return .string(String(decoding: bytes.unprotectedCopy.prefix(4), as: UTF8.self))
        default: return nil
        }
    }

    private func move(_ item: [String: PropertyValue], _ ask: Ask) throws(KeychainError) {
        do throws(KeychainError) {
            _ = try ask(destination, .add(addition(item)))
        } catch {
            guard error.status == .duplicateItem else { throw error }
            _ = try ask(destination, .update(search(item, in: destination), attributes: changes))
        }
        // Only after the item is certainly on the other side.
        var deletion = search(item, in: source)
        if let reference = item[PropertyKey.valuePersistentReference] {
            // Another keychain file may have an equal item, which was not moved, or not yet.
            deletion[PropertyKey.valuePersistentReference] = reference
        }
        _ = try ask(source, .delete(deletion))
    }

    /// The item as it is added: with all new attributes over its own.
    private func addition(_ item: [String: PropertyValue]) -> PropertyDictionary {
        let toFiles = destination == .files
        var addition = PropertyDictionary(item).removing { key in
            key == PropertyKey.access || key == Self.synchronizable || key.hasPrefix("m_") || key.hasPrefix("r_")
                || key == PropertyKey.valuePersistentReference
                || Self.privateNames.contains(key)
                || (toFiles ? FrontEndKeys.removedForFiles.contains(key) : key == Self.dates[1])
        }
        for (key, value) in changes.entries { addition[key] = value }
        if !toFiles { addition[Self.synchronizable] = .boolean(true) }
        return addition
    }

    /// A query for the item by its old attributes, without the dates.
    private func search(_ item: [String: PropertyValue], in side: Side) -> PropertyDictionary {
        var search = PropertyDictionary(item).removing { key in
            Self.dates.contains(key) || Self.privateNames.contains(key) || key.hasPrefix("v_")
                || key == Self.synchronizable || key == AttributeName.accessControl.description
                || side == .files && FrontEndKeys.removedForFiles.contains(key)
        }
        if side == .dataProtection { search[Self.synchronizable] = .boolean(true) }
        return search
    }
}
