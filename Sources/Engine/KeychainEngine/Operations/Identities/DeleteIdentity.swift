// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemDelete` of identities (Semantics, "Identities").
///
/// Each deletion is one change. A missing half does not prevent the deletion of the other: what was found is deleted,
/// and the status reports that something was not found.
extension Engine {
    /// Deletes by the same dictionary among the certificates and, if there was one, among the keys.
    func deleteIdentities(_ request: ItemRequest, _ authorization: Authorization) throws(KeychainError) {
        let certificates = try request.narrowed(to: .certificate).checked()
        let hasKeys = try changeItems(for: certificates, authorization) { (transaction) throws(KeychainError) in
            guard try transaction.deleteItems(certificates.query) > 0 else { throw KeychainError.noIdentity }
            // Not searched if there is no certificate (Semantics, "Identities").
            let keys = try request.narrowed(to: .key).checked()
            return try transaction.deleteItems(keys.query) > 0
        }
        guard hasKeys else { throw .noIdentity }
    }

    /// Deletes by the identity's reference: the certificate, and then the key unless another certificate needs it.
    func deleteIdentity(
        _ identity: IdentityReference,
        for request: ItemRequest,
        under authorization: Authorization
    ) throws(KeychainError) {
        let certificate = try request.narrowed(to: .certificate(identity.certificate)).checked()
        let key = try request.narrowed(to: .key(identity.key)).checked()
        let isComplete = try changeItems(for: key, authorization) { (transaction) throws(KeychainError) in
            let hasCertificate = try transaction.deleteItems(certificate.query) > 0
            if let hash = key.query.attributes[.applicationLabel], try transaction.isCertified(hash) {
                return hasCertificate
            }
            return try transaction.deleteItems(key.query) > 0
        }
        guard isComplete else { throw .noIdentity }
    }

    /// Deletes by a persistent reference, which names the certificate.
    func deleteReferencedIdentity(
        _ request: CheckedRequest,
        _ authorization: Authorization
    ) throws(KeychainError) {
        let damaged = try changeItems(for: request, authorization) { (transaction) throws(KeychainError) in
            try transaction.deleteIdentity(IdentityQuery(request.query))
        }
        if let damaged { throw reportDamage([damaged], authorization) }
    }
}

extension ItemWriteTransaction {
    /// Deletes a certificate, and the key that its public key leads to.
    ///
    /// Both are read first, so that both have to open.
    ///
    /// - Returns: A row that does not open; nothing was deleted in that case.
    fileprivate func deleteIdentity(_ query: IdentityQuery) throws(KeychainError) -> DamagedRow? {
        let certificates = plan(query.certificate, of: .delete).selection(tags)
        let keys = plan(query.key, of: .delete).selection(tags)
        guard let pairs = IdentityPairs(self, certificates: certificates, keys: keys) else { throw .noIdentity }
        var found: [IdentityPairs.Pair] = []
        var damaged: DamagedRow?
        try pairs.visit { (step) throws(KeychainError) in
            switch step {
            case .pair(let pair): found.append(pair)
            case .damaged(let row): damaged = row
            }
            return damaged == nil
        }
        if let damaged { return damaged }
        guard let (certificate, key) = found.first.map({ ($0.certificate, $0.key) }) else {
            throw try pairs.absence()
        }
        if case .damaged(let row) = try sealer.openMetadata(key) { return row }
        try delete(certificate)
        guard case .content(let metadata) = try sealer.openMetadata(certificate),
            let hash = metadata.attributes[.publicKeyHash],
            try !isCertified(hash)
        else { return nil }
        // The public key of an identity with a private one is an item of its own.
        let isPublic = tags.isPublicKey(key.row)
        for pair in found where tags.isPublicKey(pair.key.row) == isPublic { try delete(pair.key) }
        return nil
    }

    /// Whether there is a certificate for a public key with the given hash.
    ///
    /// It may be in any group of the client, and in quarantine as well: a deleted key does not come back with its
    /// certificate. A certificate in another group would be revealed by the key that stays. A synchronizable one does
    /// not count (Semantics, "Identities").
    fileprivate func isCertified(_ hash: AttributeValue) throws(KeychainError) -> Bool {
        var filter = RowFilter(.certificate)
        filter.accessGroups = groups.readable.map { groups in
            Set(groups.map { tags.attributeTag(in: .certificate, name: .accessGroup, value: .string($0)).tag })
        }
        filter.tags = [
            IdentityHalf.certificate.tag(hash, tags),
            tags.attributeTag(in: .certificate, name: .synchronizable, value: .number(.integer(0))),
        ]
        if try !writer.rows(filter, limit: 1).isEmpty { return true }
        return try !writer.quarantinedRows(filter, limit: 1).isEmpty
    }
}

extension KeychainError {
    fileprivate static let noIdentity = KeychainError(.itemNotFound, "no identity matches")
}
