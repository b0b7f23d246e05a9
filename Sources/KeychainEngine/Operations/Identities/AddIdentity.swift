// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemAdd` of an identity: the certificate and then the key, or neither (Semantics, "Identities").
extension Engine {
    /// Adds what is not there yet of an identity.
    ///
    /// - Returns: The persistent reference, if it alone was asked for and the certificate was not there; nothing else can be
    ///   returned.
    func addIdentity(
        _ identity: IdentityReference,
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try addition(dictionary.about(.certificate(identity.certificate)), for: client, authorization)
        let key = try addition(dictionary.about(.key(identity.key)), for: client, authorization)
        let added = try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            let addedCertificate = try storeUnlessDuplicate(certificate.item, tags, authorization, writer)
            let addedKey = try storeUnlessDuplicate(key.item, tags, authorization, writer)
            guard addedCertificate != nil || addedKey != nil else {
                throw KeychainError(.duplicateItem, "the certificate and the key of the identity exist")
            }
            return addedCertificate
        }
        guard let added, certificate.query.returns == .persistentReference else { return .nothing }
        return .single(.data(PersistentReference.bytes(.identity, added)))
    }

    /// - Returns: The identifier under which the item was stored; `nil` when it is a duplicate.
    private func storeUnlessDuplicate(
        _ item: SealableItem,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ writer: RowWriter
    ) throws(KeychainError) -> ItemIdentifier? {
        var item = item
        do throws(KeychainError) {
            try store(&item, tags, authorization, writer)
            return item.identifier
        } catch {
            guard error.status == .duplicateItem else { throw error }
            return nil
        }
    }
}
