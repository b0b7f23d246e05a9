// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// A judge of certificates that has read the anchors of the system and trust settings, and opens no file any more: for
/// a process that is not permitted to.
package struct PreparedTrust: CertificateJudge {
    private let settings: [TrustSettings]

    /// Reads everything that judging needs; from now on the whole process judges by these anchors.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and why settings cannot be read.
    package init(settings: TrustSettingsStore) throws(KeychainError) {
        self.settings = try settings.all()
        let anchors = SystemAnchors.keep(try OpenSSLLibrary.shared)
        // The library finds its algorithms when it first needs them.
        if let first = anchors.first { _ = try trusts(first.der, others: [], for: .basicX509, at: .referenceDate) }
    }

    /// Whether a chain of a certificate and others leads to who is trusted.
    package func trusts(
        _ certificate: [UInt8],
        others: [[UInt8]],
        for policy: CertificatePolicy,
        at date: Timestamp
    ) throws(KeychainError) -> Bool {
        var request = TrustRequest(certificates: [certificate] + others, policies: [policy], date: date)
        request.settings = settings
        return try TrustEvaluator.evaluate(request).isTrusted
    }
}
