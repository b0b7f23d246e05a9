// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import SwiftASN1

extension Certificate {
    /// Whether a moment is between the ends of the validity, which are part of it.
    public func isValid(at date: Timestamp) -> Bool { validity.contains(date) }

    /// Whether the certificate by itself satisfies a policy.
    ///
    /// Basic X.509: valid at the date, and no critical extension that is unknown. TLS: that, a key that may serve the
    /// purpose, and for a server with a host its name (RFC 6125, RFC 9525).
    ///
    /// - Important: Nothing is said of trust: no chain is built, no signature checked, no revocation checked.
    public func satisfies(_ policy: CertificatePolicy, at date: Timestamp) -> Bool {
        guard isValid(at: date), !known.hasUnknownCritical else { return false }
        switch policy {
        case .basicX509:
            return true
        case .tls(let isServer, let host):
            guard mayServe(isServer ? .serverAuthentication : .clientAuthentication) else { return false }
            guard isServer, let host else { return true }
            return names(host: HostName(host))
        }
    }

    private func mayServe(_ purpose: ASN1ObjectIdentifier) -> Bool {
        guard let purposes = known.extendedKeyUsage else { return true }
        return purposes.contains { $0 == purpose || $0 == .anyPurpose }
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

extension ASN1ObjectIdentifier {
    fileprivate static let serverAuthentication: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 1]
    fileprivate static let clientAuthentication: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 3, 2]
    fileprivate static let anyPurpose: ASN1ObjectIdentifier = [2, 5, 29, 37, 0]
}
