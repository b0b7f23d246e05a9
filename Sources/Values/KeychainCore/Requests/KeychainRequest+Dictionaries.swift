// SPDX-License-Identifier: Apache-2.0

extension KeychainRequest.Operation {
    /// The function; of a set that of its update.
    package var function: ItemFunction {
        switch self {
        case .add: .add
        case .copyMatching: .copyMatching
        case .update, .set: .update
        case .delete: .delete
        }
    }

    /// The only dictionary, or the query of an update.
    package var mainDictionary: PropertyDictionary {
        switch self {
        case .add(let query), .copyMatching(let query), .update(let query, _), .delete(let query),
            .set(let query, _, _):
            query
        }
    }

    /// Every dictionary, the query first.
    package var dictionaries: [PropertyDictionary] {
        switch self {
        case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): [dictionary]
        case .update(let query, let attributes): [query, attributes]
        case .set(let query, let attributes, let addition): [query, attributes, addition]
        }
    }

    /// The access groups in the dictionaries, in every form that a keychain accepts.
    package var namedAccessGroups: [String] { dictionaries.compactMap(\.accessGroup) }
}

extension PropertyDictionary {
    /// The access group in it; `nil` for none, and for a value that no keychain accepts as one.
    package var accessGroup: String? {
        guard let value = self[AttributeName.accessGroup.description],
            let column = ItemSchema.of(.genericPassword)[.accessGroup],
            case .string(let group)? = try? column.coerce(value)
        else { return nil }
        return group
    }
}
