// SPDX-License-Identifier: Apache-2.0

/// What says whether a certificate is trusted: for conditions of a query that need a chain (Semantics, "Copying
/// matching items").
package protocol CertificateJudge: Sendable {
    /// Whether a chain leads from a certificate to an anchor of the system, and satisfies a policy.
    ///
    /// - Parameters:
    ///   - certificate: its DER encoding.
    ///   - others: certificates in DER that may stand between it and an anchor.
    ///   - policy: what it is for.
    ///   - date: when it is to be valid.
    /// - Returns: `false` also for what is no certificate.
    /// - Throws: `KeychainError` with `errSecNotAvailable` where nothing can build chains.
    func trusts(
        _ certificate: [UInt8],
        others: [[UInt8]],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool
}
