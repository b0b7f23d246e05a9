// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// Why a certificate is not valid, as `security` says it.
package enum TrustJudgement {
    /// What is wrong with a certificate for a policy: what stands in parentheses behind an identity.
    ///
    /// - Parameters:
    ///   - certificate: its DER encoding.
    ///   - others: certificates that may be in its chain.
    ///   - policy: what it is for.
    ///   - date: when it has to be valid.
    ///   - settings: trust settings that count beside the anchors of the system.
    /// - Returns: The name of an error, such as `CSSMERR_TP_NOT_TRUSTED`, or a sentence; `nil` for a certificate that
    ///   is trusted.
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and why settings cannot be read.
    package static func reason(
        against certificate: [UInt8],
        others: [[UInt8]] = [],
        for policy: CertificatePolicy,
        at date: Timestamp,
        settings: TrustSettingsStore = .process
    ) throws(KeychainError) -> String? {
        var request = TrustRequest(certificates: [certificate] + others, policies: [policy], date: date)
        request.settings = try settings.all()
        return try TrustEvaluator.evaluate(request).mainFinding.map { reason($0.defect) }
    }

    /// How `security` names a defect.
    package static func reason(_ defect: TrustDefect) -> String {
        if defect == .missingExtension { return "Missing required extension" }
        return defect.symbol ?? defect.status.message ?? "\(defect.status)"
    }
}
