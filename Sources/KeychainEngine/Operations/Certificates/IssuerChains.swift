// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The chains that lead from certificates to given issuers, through local certificates in the groups of the query
/// (Semantics, "Copying matching items").
///
/// Both directions go by index: from a certificate up by the subject of the next, from the names down by the issuer.
struct IssuerChains {
    /// How many names are compared at most: that of a certificate's issuer, and those of ten certificates further up.
    static let mostNames = 11

    private let names: Set<[UInt8]>
    private let group: AttributeValue?
    private let transaction: ItemTransaction

    /// The chains to the names of a query; `nil` when it names none.
    init?(_ query: Query, _ transaction: ItemTransaction) {
        guard !query.match.issuers.isEmpty else { return nil }
        names = Set(query.match.issuers.map(\.unprotectedCopy))
        group = query.attributes[.accessGroup]
        self.transaction = transaction
    }

    /// Whether a chain leads from a certificate to one of the names.
    func lead(from attributes: Attributes) throws(KeychainError) -> Bool {
        guard case .data(let issuer)? = attributes[.issuer] else { return false }
        var isFound = false
        try walk(from: [issuer], by: .subject, to: .issuer) { (name) throws(KeychainError) in
            isFound = names.contains(name)
            return !isFound
        }
        return isFound
    }

    /// Every name that certificates can have as their issuer so that a chain leads to one of the given names, those
    /// nearest to them first.
    ///
    /// `isWanted` is called with each name in turn; it tells whether another one is wanted.
    func forEachIssuer(_ isWanted: ([UInt8]) throws(KeychainError) -> Bool) throws(KeychainError) {
        let first = names.sorted { $0.lexicographicallyPrecedes($1) }
        try walk(from: first, by: .issuer, to: .subject, isWanted)
    }

    /// Goes from names to names level by level, each once, so that certificates that issue each other end nowhere.
    private func walk(
        from first: [[UInt8]],
        by known: AttributeName,
        to next: AttributeName,
        _ isWanted: ([UInt8]) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        var level = first
        var seen = Set(first)
        for distance in 1...Self.mostNames {
            for name in level {
                guard try isWanted(name) else { return }
            }
            guard distance < Self.mostNames else { return }
            var following: [[UInt8]] = []
            for name in level {
                for found in try self.names(next, ofCertificatesWith: known, name) where seen.insert(found).inserted {
                    following.append(found)
                }
            }
            level = following
        }
    }

    /// One name of each certificate that has a certain other one.
    ///
    /// Certificates that cannot be opened lead nowhere, and neither do those that ask for somebody first.
    private func names(
        _ wanted: AttributeName,
        ofCertificatesWith known: AttributeName,
        _ name: [UInt8]
    ) throws(KeychainError) -> [[UInt8]] {
        var query = Query(itemClass: .certificate)
        query.attributes[known] = .data(name)
        query.attributes[.accessGroup] = group
        let selection = transaction.plan(query).selection(transaction.tags)
        return try transaction.rows(selection).compactMap { row in
            guard case .content(let metadata)? = try? transaction.sealer.openMetadata(row),
                metadata.attributes.guardOfReading == nil, case .data(let found)? = metadata.attributes[wanted]
            else { return nil }
            return found
        }
    }
}
