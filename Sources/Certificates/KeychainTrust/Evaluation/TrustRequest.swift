// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// What is asked of a certificate: the values that a `SecTrust` holds.
package struct TrustRequest: Sendable {
    /// The certificate that is judged, and others that may be in its chain, in DER.
    package var certificates: [[UInt8]]

    /// What it is for; every policy has to be satisfied.
    package var policies: [CertificatePolicy]

    /// Certificates in DER at which a chain may end, beside those of the system unless ``usesSystemAnchors`` is false.
    package var anchors: [[UInt8]] = []

    /// Whether the anchors of the system and those of trust settings count.
    package var usesSystemAnchors = true

    /// When the certificates have to be valid.
    package var date: Timestamp

    /// Trust settings, those that come first first.
    package var settings: [TrustSettings] = []

    /// Stapled OCSP responses (RFC 6960), in DER.
    package var ocspResponses: [[UInt8]] = []

    /// What is passed over, as an evaluation before found it.
    package var exceptions: TrustExceptions?

    /// Whether a certificate of the chain may be expired.
    package var allowsExpired = false

    /// Whether an anchor may be expired.
    package var allowsExpiredRoot = false

    /// Whether self-signed certificates among those that are given are anchors.
    package var hasImplicitAnchors = false

    /// A request with the settings of the system.
    package init(certificates: [[UInt8]], policies: [CertificatePolicy], date: Timestamp) {
        self.certificates = certificates
        self.policies = policies
        self.date = date
    }
}
