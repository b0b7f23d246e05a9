// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemAdd` of an identity: the certificate and then the key, or neither (specification, section 8.4).
extension Engine {
    /// Adds what is not there yet of an identity.
    ///
    /// - Returns: The persistent reference if it was asked for; nothing else can be returned.
    func addIdentity(
        _ identity: IdentityReference,
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try addition(dictionary.about(.certificate(identity.certificate)), for: client, authorization)
        let key = try addition(dictionary.about(.key(identity.key)), for: client, authorization)
        let identifier = try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            let addedCertificate = try storeUnlessDuplicate(certificate.item, tags, authorization, writer)
            let addedKey = try storeUnlessDuplicate(key.item, tags, authorization, writer)
            guard addedCertificate != nil || addedKey != nil else {
                throw KeychainError(.duplicateItem, "the certificate and the key of the identity exist")
            }
            if let addedCertificate { return addedCertificate }
            return try self.identifier(of: certificate.item, tags, writer)
        }
        guard certificate.query.returns.contains(.persistentReference) else { return .nothing }
        return .single(.data(PersistentReference.bytes(.identity, identifier)))
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

    /// The identifier of the item that has the primary key of another.
    private func identifier(
        of duplicate: SealableItem,
        _ tags: SearchTags,
        _ reader: RowReader
    ) throws(KeychainError) -> ItemIdentifier {
        var filter = RowFilter(duplicate.itemClass)
        filter.primaryKey = tags.primaryKeyTag(ItemSchema.of(duplicate.itemClass), duplicate.attributes)
        guard let existing = try reader.rows(filter, limit: 1).first else {
            throw KeychainError(.internalComponent, "a duplicate is not there")
        }
        return existing.row.identifier
    }
}
