// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The judge of certificates: by the anchors of the system and by trust settings.
package struct SystemTrust: CertificateJudge {
    private let settings: TrustSettingsStore

    /// A judge who consults these settings.
    package init(settings: TrustSettingsStore) { self.settings = settings }

    /// Whether a chain of a certificate and others leads to who is trusted.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and why settings cannot be read.
    package func trusts(
        _ certificate: [UInt8],
        others: [[UInt8]],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool {
        var request = TrustRequest(certificates: [certificate] + others, policies: [policy], date: date)
        request.settings = try settings.all()
        return try TrustEvaluator.evaluate(request).isTrusted
    }
}
