// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// Evaluates certificates with the system's anchors and trust settings.
package struct SystemTrust: CertificateJudge {
    private let settings: TrustSettingsStore

    /// Creates a judge that uses these settings.
    package init(settings: TrustSettingsStore) { self.settings = settings }

    /// Creates a judge that has already read the anchors and the settings, and opens no further files.
    ///
    /// From now on, the whole process uses these anchors.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and the reason that settings cannot be read.
    package static func prepared(settings: TrustSettingsStore) throws(KeychainError) -> SystemTrust {
        let judge = SystemTrust(settings: try settings.copyInMemory())
        try prepare()
        return judge
    }

    /// Loads OpenSSL with what it loads when it first evaluates, and the system's anchors for the rest of the process.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed.
    static func prepare() throws(KeychainError) {
        guard let first = SystemAnchors.loadAndCache(try OpenSSL.shared).first else { return }
        let request = TrustRequest(certificates: [first.der], policies: [.basicX509], date: .referenceDate)
        _ = try TrustEvaluator.evaluateHere(request)
    }

    /// Whether a chain of a certificate and others leads to a trusted anchor.
    ///
    /// - Throws: `errSecNotAvailable` where OpenSSL is not installed, and the reason that settings cannot be read.
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
