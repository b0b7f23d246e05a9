// SPDX-License-Identifier: Apache-2.0

/// One call of an item function, with the client that makes it.
package struct KeychainRequest: Sendable, Hashable {
    /// The operation.
    package var operation: Operation

    /// The client.
    package var client: Client

    /// A request.
    package init(_ operation: Operation, client: Client) {
        self.operation = operation
        self.client = client
    }

    /// The four item functions, and a combination of them.
    package enum Operation: Sendable, Hashable {
        /// `SecItemAdd`
        case add(PropertyDictionary)
        /// `SecItemCopyMatching`
        case copyMatching(PropertyDictionary)
        /// `SecItemUpdate`
        case update(PropertyDictionary, attributes: PropertyDictionary)
        /// `SecItemDelete`
        case delete(PropertyDictionary)
        /// `SecItemUpdate`, and `SecItemAdd` of the addition when nothing matches, as one change of the store
        case set(PropertyDictionary, attributes: PropertyDictionary, addition: PropertyDictionary)

        /// The name of Apple's function, or of both.
        package var functionName: String {
            switch self {
            case .add: "SecItemAdd"
            case .copyMatching: "SecItemCopyMatching"
            case .update: "SecItemUpdate"
            case .delete: "SecItemDelete"
            case .set: "SecItemUpdate or SecItemAdd"
            }
        }

        /// The contexts for prompts (`kSecUseAuthenticationContext`).
        package var authenticationContexts: [AuthenticationContext] {
            switch self {
            case .add(let query), .copyMatching(let query), .update(let query, _), .delete(let query):
                query.authenticationContext.map { [$0] } ?? []
            case .set(let query, _, let addition):
                [query, addition].compactMap(\.authenticationContext)
            }
        }
    }
}

extension PropertyDictionary {
    fileprivate var authenticationContext: AuthenticationContext? {
        guard case .authenticationContext(let context)? = entries[PropertyKey.useAuthenticationContext] else {
            return nil
        }
        return context
    }
}

extension KeychainRequest.Operation {
    /// The function; for a set, that of its update.
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

    /// The access groups in the dictionaries, in every accepted form.
    package var namedAccessGroups: [String] { dictionaries.compactMap(\.accessGroup) }
}

extension PropertyDictionary {
    /// The access group in it; `nil` if there is none, or if the value is not accepted as one.
    package var accessGroup: String? {
        guard let value = self[AttributeName.accessGroup.description],
            let column = ItemSchema.of(.genericPassword)[.accessGroup],
            case .string(let group)? = try? column.coerce(value)
        else { return nil }
        return group
    }
}
