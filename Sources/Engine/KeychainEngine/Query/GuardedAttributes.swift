// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Private attributes that no client of ours is entitled to (Semantics, "Order of checks", step 2).
enum GuardedAttributes {
    /// - Throws: `errSecMissingEntitlement` for an attribute that needs a private entitlement in this place.
    static func checkPrivate(
        _ dictionary: PropertyDictionary,
        of function: ItemFunction,
        as part: RequestPart
    ) throws(KeychainError) {
        for (key, _) in dictionary.entries {
            guard let access = access(to: key), access.isGuarded(function, part) else { continue }
            throw KeychainError(.missingEntitlement, "'\(key)' needs a private entitlement")
        }
    }

    /// - Throws: `errSecParam` for an attribute that is not for clients.
    static func checkClosed(_ dictionary: PropertyDictionary) throws(KeychainError) {
        for (key, _) in dictionary.entries where access(to: key) == .forbidden {
            throw .parameter("'\(key)' is not for clients")
        }
    }

    /// - Throws: `errSecNotAvailable` for an attribute of a query that is encrypted with the secret.
    static func checkEncrypted(_ query: Query) throws(KeychainError) {
        guard let name = query.attributes.keys.first(where: { query.schema[$0]?.access == .encrypted }) else { return }
        throw KeychainError(.notAvailable, "'\(name)' is encrypted with the secret and cannot be searched for")
    }

    private static func access(to key: String) -> Column.Access? {
        guard let name = AttributeName(key) else { return nil }
        return restricted.first { $0.name == name }?.access
    }

    /// The restricted attributes of all classes: few enough to check one by one.
    private static let restricted: [(name: AttributeName, access: Column.Access)] = {
        let columns = ItemClass.stored.flatMap { ItemSchema.of($0).columns }.filter { $0.access != .open }
        return Dictionary(columns.map { ($0.name, $0.access) }) { first, _ in first }.map { ($0, $1) }
    }()
}

extension Column.Access {
    fileprivate func isGuarded(_ function: ItemFunction, _ part: RequestPart) -> Bool {
        switch (self, function, part) {
        case (.guardedValue, .add, _), (.guardedValue, .update, .attributes), (.encrypted, .add, _),
            (.encrypted, .update, .attributes):
            true
        case (.guardedQuery, .add, _), (.guardedQuery, .update, .query): true
        default: false
        }
    }
}
