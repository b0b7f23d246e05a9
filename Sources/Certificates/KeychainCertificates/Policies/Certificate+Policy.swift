// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Certificate {
    /// Whether the validity includes a moment, which may be one of its ends.
    package func isValid(at date: Timestamp) -> Bool { validity.contains(date) }

    /// Whether X509_verify_cert(3) knows every critical extension but markers of Apple's, which limit nothing.
    package var hasOnlyMarkersUnverified: Bool { known.hasOnlyMarkersUnverified }

    /// Whether the certificate satisfies a policy, apart from its chain.
    ///
    /// Basic X.509 and revocation require that it is valid at the date and has no unknown critical extension. Every
    /// other policy also requires suitable usages (``usageDefect(for:)``) and the name that the policy specifies: a
    /// server's host (RFC 6125, RFC 9525), or an e-mail address.
    ///
    /// - Important: This does not establish trust: no chain is built, and neither signatures nor revocation are
    ///   checked.
    package func satisfies(_ policy: CertificatePolicy, at date: Timestamp) -> Bool {
        guard isValid(at: date), !known.hasUnknownCritical, usageDefect(for: policy) == nil else { return false }
        switch policy {
        case .basicX509, .revocation, .tls(_, nil), .tls(false, _), .purpose(_, _, nil): return true
        case .tls(true, let host?): return names(host: HostName(host))
        case .purpose(let purpose, let isServer, let name?):
            switch purpose {
            case .eap, .ipsec: return !isServer || names(host: HostName(name))
            case .emailProtection, .chat: return names(emailAddress: name)
            case .codeSigning, .timeStamping, .appleID, .macAppStoreReceipt: return true
            }
        }
    }

    /// Whether a host is among the alternative names; the common name does not count (RFC 9525, section 2).
    package func hasAlternativeName(host: String) -> Bool {
        // In C, a name ends at a zero.
        guard !host.utf8.contains(0) else { return false }
        return switch HostName(host) {
        case .address(let bytes): known.alternativeNames?.addresses.contains(bytes) ?? false
        case .name(let labels): dnsNames.contains { HostName.matches(pattern: $0, labels) }
        }
    }

    /// Whether the name constraints of the certificate permit it to certify a host, an address or a name.
    package func mayCertify(host: String) -> Bool {
        guard let constraints = known.hostConstraints else { return true }
        return constraints.permit(HostName(host))
    }

    /// The common name counts only in a certificate without alternative names, and never for an address.
    private func names(host: HostName) -> Bool {
        switch host {
        case .address(let bytes):
            return known.alternativeNames?.addresses.contains(bytes) ?? false
        case .name(let labels):
            let patterns = known.alternativeNames?.dnsNames ?? [commonName].compactMap(\.self)
            return patterns.contains { HostName.matches(pattern: $0, labels) }
        }
    }
}
