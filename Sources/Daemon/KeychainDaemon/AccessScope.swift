// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainIdentity

/// Determines which of its claimed access groups a program may use: those of its identity, and unowned ones.
///
/// The latter organize items, as in an embedded keychain, and are not a security boundary.
struct AccessScope {
    /// The identity of the program.
    let identity: ClientIdentity
    /// The groups that contain items, for a program that claims every group.
    let storedGroups: () throws(KeychainError) -> [String]

    /// A client with the groups that it may use.
    ///
    /// - Parameters:
    ///   - client: the client that the program claims to be.
    ///   - operation: the operation that it requests; `nil` for a command that is no call of an item function.
    /// - Returns: The permitted client.
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a group that has another owner.
    func permitted(
        _ client: Client,
        for operation: KeychainRequest.Operation?
    ) throws(KeychainError) -> Client {
        let claimed = client.accessGroups
        let named = operation?.namedAccessGroups ?? []
        for group in named where group != Client.everyGroup { try check(group) }
        var groups = identity.groups(claimed: claimed)
        if operation?.mayAdd == true, named.isEmpty { try checkDefault(claimed, groups) }
        if claimed.contains(Client.everyGroup) {
            // The common group is included even while it is empty: a search of nothing is not a missing entitlement.
            for group in try storedGroups() + named + [Client.commonGroup]
            where !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) && identity.refusal(of: group) == nil {
                groups.append(group)
            }
        } else if groups.isEmpty, let first = claimed.first {
            try check(first)
        }
        var permitted = client
        permitted.accessGroups = groups
        permitted.isNetworkExtension = false
        if let clip = client.appClipIdentifier { try check(clip) }
        return permitted
    }

    /// A client of a command by lookup attributes: that of a manager of passwords has every group.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a group that has another owner.
    func permittedLookup(_ request: LookupRequest) throws(KeychainError) -> Client {
        guard identity.hasManagerRights, request.client.accessGroups.contains(Client.everyGroup) else {
            return try permitted(request.client, for: request.authorizedCall.operation)
        }
        var permitted = request.client
        permitted.accessGroups = identity.managedGroups(claimed: permitted.accessGroups, stored: try storedGroups())
        permitted.isNetworkExtension = false
        permitted.appClipIdentifier = nil
        return permitted
    }

    /// Refuses to add an item without a group if it would silently go into another one than on Apple's systems, or into
    /// one shared by all programs although the program should have one of its own.
    private func checkDefault(_ claimed: [String], _ groups: [String]) throws(KeychainError) {
        guard identity.ownedGroups.isEmpty else { return }
        if let loss = identity.loss {
            throw KeychainError(
                .missingEntitlement,
                "without the program's identity, the item would be stored where every program of the user can read it: "
                    + "\(loss); an add that names an access group stores it there nevertheless",
                kind: .lostIdentity,
                subject: AttributeName.accessGroup.description
            )
        }
        guard let first = claimed.first else { return }
        if first != Client.everyGroup { return try check(first) }
        guard groups.isEmpty else { return }
        throw KeychainError(
            .missingEntitlement,
            "a client that has every access group has to name the group of an item that it adds",
            subject: AttributeName.accessGroup.description
        )
    }

    private func check(_ group: String) throws(KeychainError) {
        guard let refusal = identity.refusal(of: group) else { return }
        throw KeychainError(
            .missingEntitlement,
            "the access group \(refusal)",
            kind: identity.loss == nil ? .request : .lostIdentity,
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
}
