// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Operations on `kSecClassIdentity` (specification, section 8.4), as far as they need no reference objects.
extension Engine {
    /// The answer of a copy: that there is no identity, or that one cannot be made yet.
    ///
    /// An identity takes a private key and a certificate that names a public key. Where either is missing there is none.
    func identitiesFound(_ query: Query, _ groups: AccessGroups) throws(KeychainError) -> KeychainError {
        let candidates: [ItemClass] = [.certificate, .key]
        let mayExist = try read { (reader) throws(KeychainError) in
            let tags = device.searchTags()
            for itemClass in candidates {
                guard try hasHalf(itemClass, groups, tags, reader) else { return false }
            }
            return true
        }
        return mayExist
            ? KeychainError(.unimplemented, "identities are not implemented yet")
            : KeychainError(.itemNotFound, "no identity matches")
    }

    private func hasHalf(
        _ itemClass: ItemClass,
        _ groups: AccessGroups,
        _ tags: SearchTags,
        _ reader: RowReader
    ) throws(KeychainError) -> Bool {
        var half = Query(itemClass: itemClass)
        half.scope = .any
        if itemClass == .key { half.attributes[.isPrivate] = .number(.integer(1)) }
        let search = RowSearch(half, groups, tags, passcodeGeneration: device.keybag.passcodeGeneration)
        let found = try rows(search.filter(), reader)
        return itemClass == .key
            ? !found.isEmpty : found.contains { $0.row.tags.contains { $0.name == .publicKeyHash } }
    }

    /// Deletes by the same query among the certificates and then among the keys.
    func deleteIdentity(
        _ dictionary: PropertyDictionary,
        _ query: Query,
        _ groups: AccessGroups,
        for client: Client
    ) throws(KeychainError) {
        guard query.reference == nil else { throw try identitiesFound(query, groups) }
        try delete(dictionary.of(.certificate), for: client)
        try delete(dictionary.of(.key), for: client)
    }

    /// Updates by the same query among the certificates and then among the keys.
    func updateIdentity(
        _ dictionary: PropertyDictionary,
        _ attributes: PropertyDictionary,
        _ query: Query,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) {
        guard query.reference == nil else {
            throw KeychainError(.internal, "an identity cannot be updated through its persistent reference")
        }
        try update(dictionary.of(.certificate), attributes, for: client, authorization)
        try update(dictionary.of(.key), attributes, for: client, authorization)
    }
}

extension PropertyDictionary {
    fileprivate func of(_ itemClass: ItemClass) -> PropertyDictionary {
        var dictionary = self
        dictionary[PropertyKey.itemClass] = .string(itemClass.rawValue)
        return dictionary
    }
}
