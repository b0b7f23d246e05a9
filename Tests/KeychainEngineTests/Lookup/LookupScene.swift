// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Commands by lookup attributes, as a front sends them.
extension KeychainBackend {
    private func answer(
        _ operation: LookupRequest.Operation,
        as client: Client,
        context: AuthenticationContext? = nil
    ) throws -> KeychainReply {
        try perform(.lookup(LookupRequest(operation, client: client, context: context)))
    }

    func search(
        _ pairs: LookupAttributes,
        as client: Client = TestStore.client,
        context: AuthenticationContext? = nil
    ) throws -> [LookupMatch] {
        guard case .lookupMatches(let matches) = try answer(.search(pairs), as: client, context: context) else {
            throw KeychainError.unexpectedReply
        }
        return matches
    }

    func describe(_ items: [ItemIdentifier], as client: Client = TestStore.client) throws -> [LookupItem] {
        guard case .lookupItems(let items) = try answer(.describe(items), as: client) else {
            throw KeychainError.unexpectedReply
        }
        return items
    }

    /// The secrets by their items, with their content types.
    func secrets(
        _ items: [ItemIdentifier],
        as client: Client = TestStore.client,
        context: AuthenticationContext? = nil
    ) throws -> [LookupSecret] {
        guard case .lookupSecrets(let secrets) = try answer(.secrets(items), as: client, context: context) else {
            throw KeychainError.unexpectedReply
        }
        return secrets
    }

    @discardableResult
    func store(
        _ attributes: LookupAttributes,
        _ secret: String,
        label: String = "label",
        contentType: String = "text/plain",
        replacing: Bool = true,
        as client: Client = TestStore.client
    ) throws -> LookupStored {
        let contents = LookupContents(
            attributes: attributes,
            label: label,
            secret: SecretBytes(Array(secret.utf8)),
            contentType: contentType
        )
        guard case .lookupStored(let stored) = try answer(.store(contents, replacing: replacing), as: client) else {
            throw KeychainError.unexpectedReply
        }
        return stored
    }

    func change(_ item: ItemIdentifier, _ change: LookupChange, as client: Client = TestStore.client) throws {
        _ = try answer(.change(item, change), as: client)
    }

    func deleteItem(_ item: ItemIdentifier, as client: Client = TestStore.client) throws {
        _ = try answer(.delete(item), as: client)
    }

    /// The secret texts of the items that a search finds.
    func found(_ pairs: LookupAttributes, as client: Client = TestStore.client) throws -> [String] {
        try secrets(search(pairs, as: client).map(\.identifier), as: client).map { $0.text }
    }
}

extension LookupSecret {
    var text: String { String(decoding: secret.unprotectedCopy, as: UTF8.self) }
}

extension EmbeddedKeychain {
    /// Updates every item with a service.
    func updateService(_ service: String, _ changes: PropertyDictionary) throws {
        let query: PropertyDictionary = ["class": .string("genp"), "svce": .string(service)]
        _ = try perform(KeychainRequest(.update(query, attributes: changes), client: TestStore.client))
    }

    /// The only dictionary of the attributes of a generic password.
    func dictionary(ofService service: String) throws -> [String: PropertyValue] {
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(service), "r_Attributes": .boolean(true),
        ]
        let answer = try perform(KeychainRequest(.copyMatching(query), client: TestStore.client))
        guard case .single(.dictionary(let entries)) = answer else { throw KeychainError.unexpectedReply }
        return entries
    }
}
