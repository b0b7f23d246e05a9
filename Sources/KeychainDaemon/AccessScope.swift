// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity

/// What a program may reach of what it says is its own: the access groups of its identity, and those that nobody in
/// particular owns.
///
/// Among the latter there is order, as in an embedded keychain, and no boundary.
struct AccessScope {
    /// Who the program is.
    let identity: ClientIdentity
    /// The groups that items are in, for a program that says it has every group.
    let storedGroups: () throws(KeychainError) -> [String]

    /// A request, with the groups that its client may use.
    struct Permitted {
        var request: KeychainRequest
        /// Why groups were left out that the program says it has, each a sentence without its end.
        var refusals: [String]
    }

    /// A request with the groups that its client may use.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a group that has another owner.
    func permitted(_ request: KeychainRequest) throws(KeychainError) -> Permitted {
        let claimed = request.client.accessGroups
        let named = request.operation.namedAccessGroups
        for group in named where group != Client.everyGroup { try check(group) }
        var groups = identity.groups(claimed: claimed)
        if request.operation.mayAdd, named.isEmpty { try checkDefault(claimed, groups) }
        if claimed.contains(Client.everyGroup) {
            // The common one is searched even while it is empty, so that nothing is no missing entitlement.
            for group in try storedGroups() + named + [Client.commonGroup]
            where !groups.contains(group) && identity.refusal(of: group) == nil {
                groups.append(group)
            }
        } else if groups.isEmpty, let first = claimed.first {
            try check(first)
        }
        var permitted = request
        permitted.client.accessGroups = groups
        permitted.client.isNetworkExtension = false
        if let clip = request.client.appClipIdentifier { try check(clip) }
        let refused = claimed.filter { $0 != Client.everyGroup }
        return Permitted(request: permitted, refusals: refused.compactMap(identity.refusal(of:)))
    }

    /// Refuses to add an item without a group where it would silently go into another one than on other systems.
    private func checkDefault(_ claimed: [String], _ groups: [String]) throws(KeychainError) {
        guard identity.ownedGroups.isEmpty, let first = claimed.first else { return }
        if first != Client.everyGroup { return try check(first) }
        guard groups.isEmpty else { return }
        throw KeychainError(
            .missingEntitlement,
            "an item of a client that has every group has to name its own",
            subject: AttributeName.accessGroup.description
        )
    }

    private func check(_ group: String) throws(KeychainError) {
        guard let refusal = identity.refusal(of: group) else { return }
        throw KeychainError(
            .missingEntitlement,
            "the access group \(refusal)",
            subject: AttributeName.accessGroup.description
        )
    }
}

extension KeychainRequest.Operation {
    /// Whether it may make an item.
    fileprivate var mayAdd: Bool {
        switch self {
        case .add, .set: true
        case .copyMatching, .update, .delete: false
        }
    }

    /// The access groups that the dictionaries name, in whatever form the engine takes them.
    fileprivate var namedAccessGroups: [String] {
        let dictionaries: [PropertyDictionary] =
            switch self {
            case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): [dictionary]
            case .update(let query, let attributes): [query, attributes]
            case .set(let query, let attributes, let addition): [query, attributes, addition]
            }
        return dictionaries.compactMap { dictionary in
            guard let value = dictionary[AttributeName.accessGroup.description],
                let column = ItemSchema.of(.genericPassword)[.accessGroup],
                case .string(let group)? = try? column.coerce(value)
            else { return nil }
            return group
        }
    }
}
