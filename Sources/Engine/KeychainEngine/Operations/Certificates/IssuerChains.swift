// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The chains that lead from certificates to given issuers, through local certificates in the groups of the query
/// (Semantics, "Copying matching items").
///
/// It starts at a certificate and finds the next one by its subject, which is indexed; results are kept for later
/// certificates.
final class IssuerChains {
    /// How many names are compared at most: that of a certificate's issuer, and those of ten certificates further up.
    static let maximumComparedNames = 11

    private var search: NameSearch
    private let group: AttributeValue?
    private let transaction: ItemTransaction
    private var known: [[UInt8]: [[UInt8]]] = [:]

    /// The chains to the names of a query; `nil` when it names none.
    init?(_ query: Query, _ transaction: ItemTransaction) {
        guard !query.match.issuers.isEmpty else { return nil }
        search = NameSearch(for: Set(query.match.issuers.map(\.unprotectedCopy)))
        group = query.attributes[.accessGroup]
        self.transaction = transaction
    }

    /// Whether a chain leads from a certificate to one of the names.
    func lead(from attributes: Attributes) throws(KeychainError) -> Bool {
        guard case .data(let issuer)? = attributes[.issuer] else { return false }
        return try search.isReachable(from: issuer, within: Self.maximumComparedNames - 1) {
            (name) throws(KeychainError) in
            try issuers(ofCertificatesOf: name)
        }
    }

    /// The issuers of the certificates that have a name as their subject, each once.
    ///
    /// Certificates that cannot be opened lead nowhere, nor do those that require authentication first.
    private func issuers(ofCertificatesOf subject: [UInt8]) throws(KeychainError) -> [[UInt8]] {
        if let issuers = known[subject] { return issuers }
        var query = Query(itemClass: .certificate)
        query.attributes[.subject] = .data(subject)
        query.attributes[.accessGroup] = group
        let selection = transaction.plan(query).selection(transaction.tags)
        var seen: Set<[UInt8]> = []
        let issuers: [[UInt8]] = try transaction.rows(selection).compactMap { row in
            guard case .content(let metadata)? = try? transaction.sealer.openMetadata(row),
                metadata.attributes.guardOfReading == nil, case .data(let issuer)? = metadata.attributes[.issuer],
                seen.insert(issuer).inserted
            else { return nil }
            return issuer
        }
        known[subject] = issuers
        return issuers
    }
}
