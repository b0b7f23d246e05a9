// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The reason that a certificate is not valid, in the wording of `security`.
package enum TrustJudgement {
    /// The defect of a certificate for a policy: the text in parentheses after an identity.
    ///
    /// - Parameters:
    ///   - certificate: its DER encoding.
    ///   - others: certificates that may be in its chain.
    ///   - policy: its purpose.
    ///   - date: the time at which it must be valid.
    ///   - settings: trust settings that apply in addition to the anchors of the system.
    /// - Returns: The name of an error, such as `CSSMERR_TP_NOT_TRUSTED`, or a sentence; `nil` for a trusted
    ///   certificate.
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and the reason that settings cannot be read.
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

    /// The name of a defect in the output of `security`.
    package static func reason(_ defect: TrustDefect) -> String {
        if defect == .missingExtension { return "Missing required extension" }
        return defect.symbol ?? defect.status.message ?? "\(defect.status)"
    }
}
