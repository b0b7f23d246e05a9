// SPDX-License-Identifier: Apache-2.0

/// Evaluates whether a certificate is trusted, for query conditions that require a chain (Semantics, "Copying matching
/// items").
package protocol CertificateJudge: Sendable {
    /// Whether a chain leads from a certificate to an anchor of the system, and satisfies a policy.
    ///
    /// - Parameters:
    ///   - certificate: its DER encoding.
    ///   - others: DER certificates that may be between it and an anchor.
    ///   - policy: the purpose.
    ///   - date: the time at which it must be valid.
    /// - Returns: `false` also for data that is not a certificate.
    /// - Throws: `KeychainError` with `errSecNotAvailable` if chains cannot be built.
    func trusts(
        _ certificate: [UInt8],
        others: [[UInt8]],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool
}
