// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The judge of certificates: by the anchors of the system and by trust settings.
package struct SystemTrust: CertificateJudge {
    private let settings: TrustSettingsStore

    /// A judge who consults these settings.
    package init(settings: TrustSettingsStore) { self.settings = settings }

    /// Whether a certificate alone, without others to build a chain of, is trusted.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed.
    package func trusts(
        _ certificate: [UInt8],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool {
        var request = TrustRequest(certificates: [certificate], policies: [policy], date: date)
        request.settings = try settings.all()
        return try TrustEvaluator.evaluate(request).isTrusted
    }
}
