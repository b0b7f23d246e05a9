// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The conditions of a query on certificates beyond their attributes.
struct CertificateConditions {
    let filters: CertificateFilters
    /// The names that a chain has to contain one of; `nil` for any.
    let issuers: IssuerChains?

    /// The conditions of a query; `nil` when it has none.
    init?(_ query: Query, _ transaction: ItemTransaction) {
        guard query.match.decidesOnCertificates else { return nil }
        filters = CertificateFilters(
            match: query.match,
            now: transaction.clock.now,
            judge: transaction.certificateJudge
        )
        issuers = IssuerChains(query, transaction)
    }

    /// Whether a chain of issuers leads from a certificate to one of the names.
    func acceptIssuer(of attributes: Attributes) throws(KeychainError) -> Bool {
        guard let issuers else { return true }
        return try issuers.lead(from: attributes)
    }

    /// Whether the contents of a certificate, as far as they were read, meet the conditions.
    ///
    /// - Throws: `errSecNotAvailable` if a chain has to be evaluated and cannot be.
    func acceptContents(_ data: SecretBytes?) throws(KeychainError) -> Bool { try filters.accept(data) }
}
