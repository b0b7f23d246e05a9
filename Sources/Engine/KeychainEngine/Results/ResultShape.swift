// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The shape of a result, by return flags and limit (Semantics, "Result of a copy" and "Result of an add").
enum ResultShape {
    /// The key under which the dictionary of an identity holds its certificate.
    private static let certificateKey = "certdata"

    /// The answer of a copy.
    static func copied(_ items: [MatchedItem], _ query: Query) -> KeychainAnswer {
        if query.match.limit != .one { return .list(items.compactMap { copied($0, query) }) }
        return items.first.flatMap { copied($0, query) }.map { .single($0) } ?? .nothing
    }

    /// The answer of an add, from the item as it was just stored.
    static func added(_ item: Item, _ query: Query) -> KeychainAnswer {
        let found = MatchedItem.stored(item)
        switch query.returns {
        case []: return .nothing
        case .data: return dataOfAdded(item).map { .single(.data($0)) } ?? .nothing
        case .persistentReference: return .single(.data(found.persistentReference))
        case .reference: return found.reference(for: query).map { .single(.reference($0)) } ?? .nothing
        case let flags:
            var result: [String: PropertyValue] = [:]
            if !flags.isDisjoint(with: [.attributes, .reference]) {
                result = visible(item.attributes, hiding: [.user, .tombstone, "UUID"])
                // One without constraints is not stored, but it is returned if the caller gave it.
                if let given = query.accessControl, item.attributes.accessControl == nil {
                    result[AttributeName.accessControl.description] = .accessControl(given)
                }
            }
            if flags.contains(.data) { result[PropertyKey.valueData] = dataOfAdded(item).map { .data($0) } }
            return .single(.dictionary(adding(found, query, to: result)))
        }
    }

    /// Without a secret the caller gets empty data, not nothing (Documentation/Decisions.md, question 13).
    private static func dataOfAdded(_ item: Item) -> SecretBytes? {
        item.secret == nil ? SecretBytes() : MatchedItem.stored(item).data
    }

    private static func copied(_ item: MatchedItem, _ query: Query) -> ResultValue? {
        switch query.returns {
        case []: return nil
        case .data: return item.data.map { .data($0) }
        case .persistentReference: return .data(item.persistentReference)
        case .reference: return item.reference(for: query).map { .reference($0) }
        case let flags:
            var result = visible(item.attributes, hiding: flags.contains(.reference) ? [] : ["UUID"])
            result[AttributeName.user.description] = .data(SecretBytes())
            result[AttributeName.accessControl.description] = item.accessControl.map { .accessControl($0) }
            result[certificateKey] = item.certificateData.map { .data($0) }
            if flags.contains(.data) || query.keepsDataWithoutReference {
                result[PropertyKey.valueData] = item.data.map { .data($0) }
            }
            if query.isForReferences { result["persistref"] = .data(SecretBytes(item.identifier.bytes)) }
            return .dictionary(adding(item, query, to: result))
        }
    }

    private static func adding(
        _ item: MatchedItem,
        _ query: Query,
        to dictionary: [String: PropertyValue]
    ) -> [String: PropertyValue] {
        var result = dictionary
        if query.returns.contains(.reference) {
            result[PropertyKey.itemClass] = .string(item.itemClass.rawValue)
            result[PropertyKey.valueReference] = item.reference(for: query).map { .reference($0) }
        }
        if query.returns.contains(.persistentReference) {
            result[PropertyKey.valuePersistentReference] = .data(item.persistentReference)
        }
        return result
    }

    private static func visible(_ attributes: Attributes, hiding hidden: [AttributeName]) -> [String: PropertyValue] {
        var result = [String: PropertyValue](minimumCapacity: attributes.count + 4)
        for (name, value) in attributes where name != .lookup && name != .history && !hidden.contains(name) {
            result[name.description] = value.property
        }
        return result
    }
}

extension MatchedItem {
    /// The access control of the item; derived from its protection class if none was given.
    fileprivate var accessControl: AccessControl? {
        attributes.accessControl ?? attributes.accessibility.map(AccessControl.init(synthesizedFor:))
    }
}
