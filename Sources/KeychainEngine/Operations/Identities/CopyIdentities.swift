// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemCopyMatching` of identities (Semantics, "Identities").
extension Engine {
    /// The answer to a query for `kSecClassIdentity`.
    func copyIdentities(
        _ query: IdentityQuery,
        _ copy: Copy,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        try answer(copy, authorization) { (scan) throws(KeychainError) in try scan.identities(query) }
    }

    /// The answer to a query by an identity's reference: the certificate is looked up, and then the key.
    ///
    /// It says whether the halves are there; a certificate that is missing is no failure by itself. The one result that there can
    /// be is the persistent reference, if it alone is asked for.
    func copyIdentity(
        _ identity: IdentityReference,
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try copy(dictionary.about(.certificate(identity.certificate)), for: client, authorization)
        let key = try copy(dictionary.about(.key(identity.key)), for: client, authorization)
        var reference: SecretBytes?
        _ = try answer(key, authorization) { (keys) throws(KeychainError) in
            let certificates = Scan(engine: self, copy: certificate, tags: keys.tags, authorization, keys.reader)
            let found = try certificates.rows()
            switch found {
            case .success(let findings):
                let identifier = findings.items.first?.identifier
                reference = identifier.map { PersistentReference.bytes(.identity, $0) }
                // What keeps the certificate from being read comes before what keeps the key.
                return findings.items.isEmpty ? found : try keys.rows()
            case .failure(let absence):
                guard absence.status == .itemNotFound else { return found }
                return try keys.rows()
            }
        }
        let isWanted = certificate.query.returns == .persistentReference && certificate.query.match.limit == .one
        guard isWanted, let reference else { return .nothing }
        return .single(.data(reference))
    }
}

extension Scan {
    /// Looks at the identities that match until there are enough.
    func identities(_ query: IdentityQuery) throws(KeychainError) -> Result<Findings, KeychainError> {
        let (certificates, keys) = (search(query.certificate).filter(), search(query.key).filter())
        guard let pairs = IdentityPairs(engine, certificates: certificates, keys: keys, tags, reader) else {
            return .failure(KeychainError(.itemNotFound, "no identity matches"))
        }
        var findings = Findings()
        if let issuers = conditions.issuers, let certificates, let keys, !certificates.isSelective, !keys.isSelective {
            // The issuers alone tell which few certificates can match.
            try issuers.forEachIssuer { (name) throws(KeychainError) in
                let issued = issued(by: name, certificates)
                let pairs = IdentityPairs(engine, certificates: issued, keys: keys, tags, reader)
                if let pairs { try take(pairs, query, &findings) }
                return !findings.isComplete(for: copy.query)
            }
        } else {
            try take(pairs, query, &findings)
        }
        return findings.isEmpty ? .failure(try pairs.absence()) : .success(findings)
    }

    /// Looks at pairs until there are enough.
    private func take(
        _ pairs: IdentityPairs,
        _ query: IdentityQuery,
        _ findings: inout Findings
    ) throws(KeychainError) {
        try pairs.visit { (step) throws(KeychainError) in
            switch step {
            case .damaged(let row): findings.add(.damaged(row))
            case .pair(let pair):
                let key = try reading(pair.key, query.key)
                let certificate = try reading(pair.certificate, query.certificate)
                findings.add(Reading(certificate: certificate, key: key))
            }
            return !findings.isComplete(for: copy.query)
        }
    }
}

extension Reading {
    /// What a copy gets of an identity, from what it gets of the halves.
    fileprivate init(certificate: Reading, key: Reading) {
        switch (certificate, key) {
        case (.open(.stored(let certificate)), .open(.stored(let key))):
            self = .open(.identity(certificate: certificate, key: key))
        case (.damaged, _), (.passedOver, _): self = certificate
        case (_, .damaged), (_, .passedOver): self = key
        case (.never, _), (_, .never): self = .never
        case (.closed(var demand), .closed(let other)):
            demand.add(other)
            self = .closed(demand)
        case (.closed, _): self = certificate
        default: self = key
        }
    }
}
