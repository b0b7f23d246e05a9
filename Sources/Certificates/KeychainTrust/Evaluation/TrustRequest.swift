// SPDX-License-Identifier: Apache-2.0

package import KeychainCore

/// The parameters of an evaluation: the values of a `SecTrust`.
package struct TrustRequest: Sendable {
    /// The certificate to evaluate, and others that may be in its chain, in DER.
    package var certificates: [[UInt8]]

    /// Its purposes; every policy must be satisfied.
    package var policies: [CertificatePolicy]

    /// Certificates in DER that may end a chain, besides those of the system unless ``usesSystemAnchors`` is false.
    package var anchors: [[UInt8]] = []

    /// Whether the anchors of the system and those of trust settings are used.
    package var usesSystemAnchors = true

    /// The time at which the certificates must be valid.
    package var date: Timestamp

    /// Trust settings, in order of precedence.
    package var settings: [TrustSettings] = []

    /// Stapled OCSP responses (RFC 6960), in DER.
    package var ocspResponses: [[UInt8]] = []

    /// The exceptions, from an earlier evaluation.
    package var exceptions: TrustExceptions?

    /// Whether a certificate of the chain may be expired.
    package var allowsExpired = false

    /// Whether an anchor may be expired.
    package var allowsExpiredRoot = false

    /// Whether self-signed certificates of the request are anchors.
    package var hasImplicitAnchors = false

    /// A request with the settings of the system.
    package init(certificates: [[UInt8]], policies: [CertificatePolicy], date: Timestamp) {
        self.certificates = certificates
        self.policies = policies
        self.date = date
    }
}
