// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What an anonymous process may reach of what it says is its own: the access groups that nobody in particular owns.
///
/// Among those there is order, as in an embedded keychain, and no boundary. Groups that begin with a team identifier are
/// for programs that the team signed.
struct AnonymousScope {
    private let keychain: any KeychainBackend

    /// A scope in a keychain.
    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    /// A request with the groups that its client may use.
    ///
    /// - Throws: ``KeychainError`` of `errSecMissingEntitlement` for a group that has an owner.
    func permitted(_ request: KeychainRequest) throws(KeychainError) -> KeychainRequest {
        let claimed = request.client.accessGroups
        let named = request.operation.namedAccessGroups
        for group in named where AccessGroupOwnership.isOwned(group) { throw Self.refusal(of: group) }
        // What is added without a group would silently go into another one than the program has on other systems.
        if case .add = request.operation, named.isEmpty, let first = claimed.first {
            guard !AccessGroupOwnership.isOwned(first) else { throw Self.refusal(of: first) }
        }
        var client = request.client
        client.accessGroups = claimed.filter { $0 != Client.everyGroup && !AccessGroupOwnership.isOwned($0) }
        if claimed.contains(Client.everyGroup) {
            for group in try storedGroups().union(named) where !client.accessGroups.contains(group) {
                client.accessGroups.append(group)
            }
        } else if client.accessGroups.isEmpty, let first = claimed.first {
            throw Self.refusal(of: first)
        }
        client.isNetworkExtension = false
        if let clip = client.appClipIdentifier, AccessGroupOwnership.isOwned(clip) { throw Self.refusal(of: clip) }
        var permitted = request
        permitted.client = client
        return permitted
    }

    /// The groups without an owner that items are in.
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
                if !AccessGroupOwnership.isOwned(group) { groups.insert(group) }
            }
        }
        return groups
    }

    private static func refusal(of group: String) -> KeychainError {
        KeychainError(
            .missingEntitlement,
            "the access group \(group) is only for programs that its owner signed, and this one is not",
            subject: AttributeName.accessGroup.description
        )
    }
}

/// Which access groups belong to somebody.
enum AccessGroupOwnership {
    /// The length of a team identifier: 16 bytes in base32 (RFC 4648, section 6), without padding.
    private static let teamIdentifierLength = 26

    /// Whether a group begins with a team identifier and a dot.
    static func isOwned(_ group: String) -> Bool {
        let bytes = group.utf8
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return false }
        let prefix = bytes[..<dot]
        return prefix.count == teamIdentifierLength
            && prefix.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (50...55).contains($0) }
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
