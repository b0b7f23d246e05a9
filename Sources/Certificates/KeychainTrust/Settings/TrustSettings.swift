// SPDX-License-Identifier: Apache-2.0

import Crypto
package import KeychainCertificates
package import KeychainCore

/// The trust settings of one domain, that of a user or of the administrator.
package struct TrustSettings: Sendable, Hashable {
    /// The entry of each certificate, by its ``key(of:)``.
    package var entries: [String: Entry] = [:]

    /// No settings.
    package init() {}

    /// The entry of one certificate.
    package struct Entry: Sendable, Hashable {
        /// The issuer's name in DER.
        package var issuer: [UInt8]
        /// The content octets of the serial number.
        package var serialNumber: [UInt8]
        /// When the entry was changed.
        package var modified: Timestamp
        /// The decisions and their conditions; without any, the certificate is always trusted.
        package var rules: [Rule]
        /// The certificate in DER; `nil` in settings from elsewhere that lack it.
        ///
        /// Such an entry applies only to a presented certificate.
        package var certificate: [UInt8]?

        /// An entry for a certificate.
        package init(_ certificate: Certificate, _ rules: [Rule], modified: Timestamp) {
            issuer = certificate.issuerSequence
            serialNumber = certificate.serialNumber
            self.modified = modified
            self.rules = rules
            self.certificate = certificate.der
        }

        init(
            issuer: [UInt8],
            serialNumber: [UInt8],
            modified: Timestamp,
            rules: [Rule],
            certificate: [UInt8]?
        ) {
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.modified = modified
            self.rules = rules
            self.certificate = certificate
        }
    }

    /// A decision, by its number in a file.
    package enum Decision: Int32, Sendable, Hashable {
        /// A self-signed certificate is an anchor.
        case trustRoot = 1
        /// Another certificate is an anchor.
        case trustAsRoot = 2
        /// No chain with the certificate is trusted.
        case deny = 3
        /// Nothing is decided here.
        case unspecified = 4
    }

    /// A decision and its conditions, all of which must be satisfied.
    package struct Rule: Sendable, Hashable {
        /// The policy, by the content octets of its object identifier.
        package var policy: [UInt8]?
        /// The policy's name.
        package var policyName: String?
        /// The host or e-mail address of the policy.
        package var policyString: String?
        /// The program, in a form of Apple's, which matches no program on Linux.
        package var application: [UInt8]?
        /// The use of the key, as `SecTrustSettingsKeyUsage`.
        package var keyUsage: UInt32?
        /// A status, or code of the older module interface, that is ignored.
        package var allowedError: Int32?
        /// The decision; trust by default.
        package var decision: Decision?

        /// A rule for every case.
        package init(_ decision: Decision? = nil) { self.decision = decision }
    }

    /// The key of a certificate: the SHA-1 digest of its encoding in capital hexadecimal digits.
    package static func key(of certificate: [UInt8]) -> String {
        Insecure.SHA1.hash(data: certificate).hexadecimal.uppercased()
    }

    /// The entry of a certificate; `nil` if there is none.
    ///
    /// SHA-1 does not identify a certificate reliably, so the certificate itself is compared, or its issuer and serial
    /// number.
    package func entry(for certificate: Certificate) -> Entry? {
        guard let entry = entries[Self.key(of: certificate.der)] else { return nil }
        if let known = entry.certificate { return known == certificate.der ? entry : nil }
        let isSame = entry.issuer == certificate.issuerSequence && entry.serialNumber == certificate.serialNumber
        return isSame ? entry : nil
    }
}
