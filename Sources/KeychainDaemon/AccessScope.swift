// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity

/// What a program may reach of what it says is its own: the access groups of its identity, and those that nobody in
/// particular owns.
///
/// Among the latter there is order, as in an embedded keychain, and no boundary.
struct AccessScope {
    private let identity: ClientIdentity
    private let keychain: any KeychainBackend

    /// The scope of a program in a keychain.
    init(of identity: ClientIdentity, in keychain: any KeychainBackend) {
        self.identity = identity
        self.keychain = keychain
    }

    /// A request with the groups that its client may use.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a group that has another owner.
    func permitted(_ request: KeychainRequest) throws(KeychainError) -> KeychainRequest {
        let claimed = request.client.accessGroups
        let named = request.operation.namedAccessGroups
        for group in named where group != Client.everyGroup { try check(group) }
        // What is added without a group would silently go into another one than the program has on other systems.
        if case .add = request.operation, named.isEmpty, identity.ownedGroups.isEmpty, let first = claimed.first,
            first != Client.everyGroup
        {
            try check(first)
        }
        var client = request.client
        client.accessGroups = identity.groups(claimed: claimed)
        if claimed.contains(Client.everyGroup) {
            for group in try storedGroups().union(named) where !client.accessGroups.contains(group) {
                if identity.refusal(of: group) == nil { client.accessGroups.append(group) }
            }
        } else if client.accessGroups.isEmpty, let first = claimed.first {
            try check(first)
        }
        client.isNetworkExtension = false
        if let clip = client.appClipIdentifier { try check(clip) }
        var permitted = request
        permitted.client = client
        return permitted
    }

    private func check(_ group: String) throws(KeychainError) {
        guard let refusal = identity.refusal(of: group) else { return }
        throw KeychainError(
            .missingEntitlement,
            "the access group \(refusal)",
            subject: AttributeName.accessGroup.description
        )
    }

    /// The groups that items are in.
    private func storedGroups() throws(KeychainError) -> Set<String> {
        var groups: Set<String> = []
        for itemClass in ItemClass.stored {
            let query: PropertyDictionary = [
                PropertyKey.itemClass: .string(itemClass.rawValue),
                AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
                PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
                PropertyKey.returnAttributes: .boolean(true),
                PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUISkip),
            ]
            let everyGroup = Client(accessGroups: [Client.everyGroup])
            let answer: KeychainAnswer
            do throws(KeychainError) {
                answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: everyGroup))
            } catch {
                guard [.itemNotFound, .interactionNotAllowed, .decode].contains(error.status) else { throw error }
                continue
            }
            guard case .list(let items) = answer else { continue }
            for case .dictionary(let attributes) in items {
                guard case .string(let group)? = attributes[AttributeName.accessGroup.description] else { continue }
                groups.insert(group)
            }
        }
        return groups
    }
}

extension KeychainRequest.Operation {
    /// The access groups that the dictionaries name.
    fileprivate var namedAccessGroups: [String] {
        let dictionaries: [PropertyDictionary] =
            switch self {
            case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): [dictionary]
            case .update(let query, let attributes): [query, attributes]
            case .set(let query, let attributes, let addition): [query, attributes, addition]
            }
        return dictionaries.compactMap { dictionary in
            guard case .string(let group)? = dictionary[AttributeName.accessGroup.description] else { return nil }
            return group
        }
    }
}
