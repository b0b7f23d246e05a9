// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemCopyMatching` of identities (specification, section 8.4).
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
    /// Without its certificate the key alone decides on the status, and there is no result.
    func copyIdentity(
        _ identity: IdentityReference,
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try copy(dictionary.about(.certificate(identity.certificate)), for: client, authorization)
        let key = try copy(dictionary.about(.key(identity.key)), for: client, authorization)
        let query = IdentityQuery(certificate: certificate.query, key: key.query)
        return try answer(certificate, authorization) { (scan) throws(KeychainError) in
            let found = try scan.identities(query)
            guard case .failure(let absence) = found, absence.status == .itemNotFound else { return found }
            let keys = Scan(engine: self, copy: key, tags: scan.tags, authorization, scan.reader)
            return try keys.rows().map(\.withoutItems)
        }
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
