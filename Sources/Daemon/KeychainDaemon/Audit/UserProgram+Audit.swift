// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The log of the program's requests.
extension UserProgram {
    /// Logs a command, with the items whose secrets it returned, or that it named by a reference.
    func finished(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {
        guard let audited, audited.isLogged else { return }
        audited.record(command, result, items: items(of: command, result))
    }

    /// The attributes of items that a successful command concerned, as the program can see them now; none of a locked
    /// one.
    private func items(
        of command: KeychainCommand,
        _ result: Result<KeychainReply, KeychainError>
    ) -> [[String: PropertyValue]] {
        guard result.auditedStatus == 0 else { return [] }
        switch (command, result) {
        case (.items(let request), _):
            return request.operation.describingQuery.map { described($0, request.client) } ?? []
        case (.itemsExplained(let request), _):
            return request.call.operation.describingQuery.map { described($0, request.call.client) } ?? []
        case (.lookup(let request), .success(.lookupSecrets(let secrets))):
            // One more: that there are more is seen by it.
            return secrets.prefix(AuditedProgram.maximumItems + 1)
                .flatMap { described($0.identifier, request.client) }
        case (.history(let request), _):
            // As of an update that names its item.
            return request.operation.subject.map { described($0.identifier, request.client) } ?? []
        default: return []
        }
    }

    private func described(_ item: ItemIdentifier, _ client: Client) -> [[String: PropertyValue]] {
        // Only these have lookup attributes and former values.
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            let found = described(
                [
                    PropertyKey.itemClass: .string(itemClass.rawValue),
                    PropertyKey.valuePersistentReference: .data(item.persistentReference(of: itemClass)),
                    PropertyKey.returnAttributes: .boolean(true),
                    PropertyKey.useAuthenticationUI: .string(PropertyKey.useAuthenticationUIFail),
                ],
                client
            )
            if !found.isEmpty { return found }
        }
        return []
    }

    private func described(_ query: PropertyDictionary, _ client: Client) -> [[String: PropertyValue]] {
        let command = KeychainCommand.items(KeychainRequest(.copyMatching(query), client: client))
        guard case .answer(let answer)? = try? backend.perform(permitted(command)) else { return [] }
        return answer.values.compactMap { value in
            guard case .dictionary(let attributes) = value else { return nil }
            return attributes.merging([PropertyKey.itemClass: query.classOfItems].compactMapValues(\.self)) { $1 }
        }
    }
}

extension KeychainRequest.Operation {
    /// The query for the attributes of the items whose secrets it returns, or that it names by a reference; `nil` if it
    /// does neither, or deletes them.
    fileprivate var describingQuery: PropertyDictionary? {
        switch self {
        case .copyMatching(let query) where query.returnsSecrets || query.namesItem: query.describing
        case .update(let query, _) where query.namesItem: query.describing
        case .add, .copyMatching, .update, .delete, .set: nil
        }
    }
}

extension PropertyDictionary {
    fileprivate var returnsSecrets: Bool {
        self[PropertyKey.returnData].map { $0 != .boolean(false) } ?? false
    }

    /// The class in it, or in its reference.
    fileprivate var classOfItems: PropertyValue? {
        if let itemClass = self[PropertyKey.itemClass] { return itemClass }
        guard case .data(let reference)? = self[PropertyKey.valuePersistentReference] else { return nil }
        return .string(String(decoding: reference.unprotectedCopy.prefix(4), as: UTF8.self))
    }

    fileprivate var namesItem: Bool { self[PropertyKey.valuePersistentReference] != nil }

    /// The same query for attributes alone, which prompts no one.
    fileprivate var describing: PropertyDictionary {
        var query = self
        for key in [
            PropertyKey.returnData, PropertyKey.returnReference, PropertyKey.returnPersistentReference,
            PropertyKey.useAuthenticationContext, PropertyKey.useNoAuthenticationUI, PropertyKey.useOperationPrompt,
        ] {
            query[key] = nil
        }
        query[PropertyKey.returnAttributes] = .boolean(true)
        query[PropertyKey.useAuthenticationUI] = .string(PropertyKey.useAuthenticationUIFail)
        return query
    }
}
