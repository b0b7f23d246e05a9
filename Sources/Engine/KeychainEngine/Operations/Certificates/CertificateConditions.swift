// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a query asks of certificates beyond their attributes.
struct CertificateConditions {
    let filters: CertificateFilters
    /// Whose names a chain has to contain; `nil` for anybody's.
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

    /// Whether the contents of a certificate, as far as they were read, are as asked.
    ///
    /// - Throws: `errSecNotAvailable` where a chain has to be judged and nothing can.
    func acceptContents(_ data: SecretBytes?) throws(KeychainError) -> Bool { try filters.accept(data) }
}
