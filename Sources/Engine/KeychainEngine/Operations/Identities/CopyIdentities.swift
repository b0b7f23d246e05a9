// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

/// `SecItemCopyMatching` by the reference of an identity (Semantics, "Identities").
extension Engine {
    /// Looks up the certificate, and then the key.
    ///
    /// The status reports whether the halves exist; a missing certificate is not a failure by itself. The only possible
    /// result is the persistent reference, if only that is requested.
    func copyIdentity(
        _ identity: IdentityReference,
        for request: ItemRequest,
        under authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let certificate = try authorization.checked(request.narrowed(to: .certificate(identity.certificate)))
        let key = try authorization.checked(request.narrowed(to: .key(identity.key)))
        var reference: SecretBytes?
        _ = try copy(key, under: authorization) { (transaction) throws(KeychainError) in
            let found = try ItemSearch(transaction, certificate.query).items()
            switch found {
            case .success(let findings):
                let identifier = findings.items.first?.identifier
                reference = identifier.map { $0.persistentReference(of: .identity) }
                // An obstacle to reading the certificate takes precedence over one to reading the key.
                guard !findings.items.isEmpty else { return found }
            case .failure(let absence):
                guard absence.status == .itemNotFound else { return found }
            }
            return try ItemSearch(transaction, key.query).items()
        }
        let isWanted = certificate.query.returns == .persistentReference && certificate.query.match.limit == .one
        guard isWanted, let reference else { return .nothing }
        return .single(.data(reference))
    }
}

/// `SecItemCopyMatching` of the class of identities (Semantics, "Identities").
extension ItemSearch {
    /// Examines the identities that match until there are enough.
    func identities() throws(KeychainError) -> Result<Findings, KeychainError> {
        let halves = IdentityQuery(query)
        let certificates = transaction.plan(halves.certificate).selection(transaction.tags)
        let keys = transaction.plan(halves.key).selection(transaction.tags)
        guard let pairs = IdentityPairs(transaction, certificates: certificates, keys: keys) else {
            return .failure(KeychainError(.itemNotFound, "no identity matches"))
        }
        var findings = noFindings
        try read(pairs, of: halves, into: &findings)
        if findings.isEmpty, let closed = findings.closed { return .failure(closed) }
        return findings.isEmpty ? .failure(try pairs.absence()) : .success(findings)
    }

    /// Counted for each pair as the memory of a dictionary of the attributes of both, in addition to their values.
    private static var byteCountOfPair: Int { 4 << 10 }

    /// Examines pairs until there are enough.
    private func read(
        _ pairs: IdentityPairs,
        of halves: IdentityQuery,
        into findings: inout Findings
    ) throws(KeychainError) {
        // A row is in as many pairs as the other half has rows with its hash, and is read once for all of them.
        var known: [IdentityHalf: [Int64: ReadOutcome]] = [:]
        func candidate(_ row: NumberedRow, _ half: IdentityHalf) throws(KeychainError) -> ReadOutcome {
            if let candidate = known[half]?[row.number] { return candidate }
            let candidate = try read(row, for: half == .key ? halves.key : halves.certificate)
            known[half, default: [:]][row.number] = candidate
            return candidate
        }
        try pairs.visit { (step) throws(KeychainError) in
            switch step {
            case .damaged(let row): findings.add(.damaged(row))
            case .pair(let pair):
                let key = try candidate(pair.key, .key)
                let identity = ReadOutcome(certificate: try candidate(pair.certificate, .certificate), key: key)
                if findings.keepsItems, case .found = identity { try transaction.rows.reserve(Self.byteCountOfPair) }
                findings.add(identity)
            }
            return !findings.isComplete(for: query)
        }
    }
}

extension ReadOutcome {
    /// What a copy obtains from an identity, given what it obtains from the halves.
    fileprivate init(certificate: ReadOutcome, key: ReadOutcome) {
        switch (certificate, key) {
        case (.found(.stored(let certificate)), .found(.stored(let key))):
            self = .found(.identity(certificate: certificate, key: key))
        case (.damaged, _): self = certificate
        case (_, .damaged): self = key
        case (.denied, _), (_, .denied): self = .denied
        case (.demands(var demand), .demands(let other)):
            demand.add(other)
            self = .demands(demand)
        // Before a condition that leaves out the other half.
        case (.demands, _): self = certificate
        case (_, .demands): self = key
        case (.leftOut, _), (_, .leftOut): self = .leftOut
        case (.closed, _): self = certificate
        default: self = key
        }
    }
}
