// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemDelete` of identities (Semantics, "Identities").
///
/// Each is one change. A half that is not there is no failure of the other: what was found is gone, and the status says
/// that something was not found.
extension Engine {
    /// Deletes by the same dictionary among the certificates and, if there was one, among the keys.
    func deleteIdentities(_ dictionary: PropertyDictionary, for client: Client) throws(KeychainError) {
        let certificates = try deletion(dictionary.about(.certificate), for: client)
        let hasKeys = try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            guard try remove(certificates, tags, writer) > 0 else { throw Self.noIdentity }
            // Not looked at where there is no certificate (Semantics, "Identities").
            let keys = try deletion(dictionary.about(.key), for: client)
            return try remove(keys, tags, writer) > 0
        }
        guard hasKeys else { throw Self.noIdentity }
    }

    /// Deletes by the identity's reference: the certificate, and then the key unless another certificate needs it.
    func deleteIdentity(
        _ identity: IdentityReference,
        _ dictionary: PropertyDictionary,
        for client: Client
    ) throws(KeychainError) {
        let certificate = try deletion(dictionary.about(.certificate(identity.certificate)), for: client)
        let key = try deletion(dictionary.about(.key(identity.key)), for: client)
        let isComplete = try write { (writer) throws(KeychainError) in
            let tags = device.searchTags()
            let hasCertificate = try remove(certificate, tags, writer) > 0
            if let hash = key.query.attributes[.applicationLabel],
                try isCertified(hash, tags, writer)
            {
                return hasCertificate
            }
            return try remove(key, tags, writer) > 0
        }
        guard isComplete else { throw Self.noIdentity }
    }

    /// Deletes by a persistent reference, which names the certificate.
    ///
    /// The key is the one that its public key leads to. Both are read first, so that both have to open.
    func deleteIdentity(_ deletion: Deletion) throws(KeychainError) {
        let query = IdentityQuery(deletion.query)
        let damaged = try write { (writer) throws(KeychainError) -> DamagedRow? in
            let tags = device.searchTags()
            let groups = deletion.groups.writable
            let certificates = RowSearch(query.certificate, in: groups, tags, passcodeGeneration: nil).filter()
            let keys = RowSearch(query.key, in: groups, tags, passcodeGeneration: nil).filter()
            guard let pairs = IdentityPairs(self, certificates: certificates, keys: keys, tags, writer) else {
                throw Self.noIdentity
            }
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
            if case .damaged(let row) = try openMetadata(key) { return row }
            try remove(certificate, tags, writer)
            guard case .content(let metadata) = try openMetadata(certificate),
                let hash = metadata.attributes[.publicKeyHash],
                try !isCertified(hash, tags, writer)
            else { return nil }
            // The public key of an identity with a private one is an item of its own.
            let isPublic = tags.isPublicKey(key.row)
            for pair in found where tags.isPublicKey(pair.key.row) == isPublic { try remove(pair.key, tags, writer) }
            return nil
        }
        if let damaged { throw reportDamage([damaged]) }
    }

    /// Whether there is a certificate for a public key, of which the hash is given.
    ///
    /// In whatever group, and in quarantine as well: a key that is gone does not come back with its certificate.
    private func isCertified(
        _ hash: AttributeValue,
        _ tags: SearchTags,
        _ reader: RowReader
    ) throws(KeychainError) -> Bool {
        var filter = RowFilter(.certificate)
        filter.tags = [IdentityHalf.certificate.tag(hash, tags)]
        if try !rows(filter, limit: 1, reader).isEmpty { return true }
        return try !quarantined(filter, limit: 1, reader).isEmpty
    }

    private static let noIdentity = KeychainError(.itemNotFound, "no identity matches")
}
