// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a result looks like, by return flags and limit (specification, sections 4.2 and 4.3).
enum ResultShape {
    /// The answer of a copy.
    static func copied(_ items: [Item], _ query: Query) -> KeychainAnswer {
        if query.match.limit != .one { return .list(items.compactMap { copied($0, query.returns) }) }
        return items.first.flatMap { copied($0, query.returns) }.map { .single($0) } ?? .nothing
    }

    /// The answer of an add, from the item as it was just stored.
    static func added(_ item: Item, _ query: Query) -> KeychainAnswer {
        // Without a secret the caller gets empty data, not nothing (Documentation/Decisions.md, question 13).
        let secret = item.secret ?? SecretBytes()
        switch query.returns {
        case []: return .nothing
        case .data: return .single(.data(secret))
        case .persistentReference: return .single(.data(item.persistentReference))
        case .reference where !item.itemClass.hasReferenceType: return .nothing
        case let flags:
            var result: [String: PropertyValue] = [:]
            if !flags.isDisjoint(with: [.attributes, .reference]) {
                result = visible(item.attributes, hiding: [.user, .tombstone, "UUID"])
            }
            if flags.contains(.data) { result[PropertyKey.valueData] = .data(secret) }
            return .single(.dictionary(adding(flags, item, to: result)))
        }
    }

    private static func copied(_ item: Item, _ flags: ReturnFlags) -> ResultValue? {
        switch flags {
        case []: return nil
        case .data: return item.secret.map { .data($0) }
        case .persistentReference: return .data(item.persistentReference)
        case .reference where !item.itemClass.hasReferenceType: return nil
        default:
            var result = visible(item.attributes, hiding: ["UUID"])
            result[AttributeName.user.description] = .data(SecretBytes())
            result[AttributeName.accessControl.description] = item.accessControl.map { .accessControl($0) }
            if flags.contains(.data), let secret = item.secret { result[PropertyKey.valueData] = .data(secret) }
            return .dictionary(adding(flags, item, to: result))
        }
    }

    private static func adding(
        _ flags: ReturnFlags,
        _ item: Item,
        to dictionary: [String: PropertyValue]
    ) -> [String: PropertyValue] {
        var result = dictionary
        if flags.contains(.reference) { result[PropertyKey.itemClass] = .string(item.itemClass.rawValue) }
        if flags.contains(.persistentReference) {
            result[PropertyKey.valuePersistentReference] = .data(item.persistentReference)
        }
        return result
    }

    private static func visible(_ attributes: Attributes, hiding hidden: [AttributeName]) -> [String: PropertyValue] {
        var result = [String: PropertyValue](minimumCapacity: attributes.count + 4)
        for (name, value) in attributes where !hidden.contains(name) {
            result[name.description] = value.property
        }
        return result
    }
}

extension Item {
    /// The access control of the item; made up from its protection class where none was given.
    fileprivate var accessControl: AccessControl? {
        attributes.accessControl ?? attributes.accessibility.map(AccessControl.init(synthesizedFor:))
    }
}
