// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Private attributes that no client of ours is entitled to (Semantics, "Order of checks", step 2).
enum GuardedAttributes {
    /// Where a dictionary stands in a call.
    enum Place {
        case add
        case copyOrDeleteQuery
        case updateQuery
        case updateAttributes
    }

    /// - Throws: `errSecMissingEntitlement` for guarded attributes, then `errSecParam` for forbidden ones.
    static func check(_ dictionary: PropertyDictionary, in place: Place) throws(KeychainError) {
        let columns = dictionary.entries.keys.compactMap { AttributeName($0).flatMap { all[$0] } }
        if let guarded = columns.first(where: { $0.access.isGuarded(in: place) }) {
            throw KeychainError(.missingEntitlement, "'\(guarded.name)' needs a private entitlement")
        }
        if let forbidden = columns.first(where: { $0.access == .forbidden }) {
            throw .parameter("'\(forbidden.name)' is not for clients")
        }
    }

    /// The attributes that are not open, whatever class they belong to.
    private static let all: [AttributeName: Column] = {
        let columns = ItemClass.stored.flatMap { ItemSchema.of($0).columns }.filter { $0.access != .open }
        return Dictionary(columns.map { ($0.name, $0) }) { first, _ in first }
    }()
}

extension Column.Access {
    fileprivate func isGuarded(in place: GuardedAttributes.Place) -> Bool {
        switch self {
        case .guardedValue: place == .add || place == .updateAttributes
        case .guardedQuery: place == .add || place == .updateQuery
        case .open, .forbidden, .computed: false
        }
    }
}
