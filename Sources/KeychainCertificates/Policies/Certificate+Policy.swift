// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Certificate {
    /// Whether a moment is between the ends of the validity, which are part of it.
    public func isValid(at date: Timestamp) -> Bool { validity.contains(date) }

    /// Whether the certificate by itself satisfies a policy.
    ///
    /// Basic X.509 and revocation: valid at the date, and no critical extension that is unknown. Any other: that, usages
    /// that fit (``usageDefect(for:)``), and the name that the policy asks for: a server's host (RFC 6125, RFC 9525), or
    /// an e-mail address.
    ///
    /// - Important: Nothing is said of trust: no chain is built, no signature checked, no revocation checked.
    public func satisfies(_ policy: CertificatePolicy, at date: Timestamp) -> Bool {
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
