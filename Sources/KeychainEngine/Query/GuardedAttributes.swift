// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Private attributes that no client of ours is entitled to (Semantics, "Order of checks", step 2).
enum GuardedAttributes {
    /// - Throws: `errSecMissingEntitlement` for an attribute that needs a private entitlement in this place.
    static func checkPrivate(
        _ dictionary: PropertyDictionary,
        _ function: ItemFunction,
        _ part: RequestPart
    ) throws(KeychainError) {
        for key in dictionary.entries.keys {
            guard let column = column(key), column.access.isGuarded(function, part) else { continue }
            throw KeychainError(.missingEntitlement, "'\(key)' needs a private entitlement")
        }
    }

    /// - Throws: `errSecParam` for an attribute that is not for clients.
    static func checkClosed(_ dictionary: PropertyDictionary) throws(KeychainError) {
        for key in dictionary.entries.keys where column(key)?.access == .forbidden {
            throw .parameter("'\(key)' is not for clients")
        }
    }

    private static func column(_ key: String) -> Column? {
        guard key.utf8.count == 4, let name = AttributeName(key) else { return nil }
        return all.first { $0.name == name }
    }

    /// The attributes that are not open, whatever class they belong to: few enough to be looked at one by one.
    private static let all: [Column] = {
        var columns: [Column] = []
        for column in ItemClass.stored.flatMap({ ItemSchema.of($0).columns }) where column.access != .open {
            if !columns.contains(where: { $0.name == column.name }) { columns.append(column) }
        }
        return columns
    }()
}

extension Column.Access {
    fileprivate func isGuarded(_ function: ItemFunction, _ part: RequestPart) -> Bool {
        switch (self, function, part) {
        case (.guardedValue, .add, _), (.guardedValue, .update, .attributes): true
        case (.guardedQuery, .add, _), (.guardedQuery, .update, .query): true
        default: false
        }
    }
}
