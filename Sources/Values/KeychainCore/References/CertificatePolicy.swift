// SPDX-License-Identifier: Apache-2.0

/// The requirements of a `SecPolicy` for a certificate.
package enum CertificatePolicy: Sendable, Hashable, Codable {
    /// `SecPolicyCreateBasicX509`: a certificate that may be used now.
    case basicX509
    /// `SecPolicyCreateSSL`: for a server or a client of TLS, and for a host if one is named.
    case tls(isServer: Bool, host: String?)
    /// Another purpose, for one of two sides if it has sides, and for a host or an e-mail address if specified.
    case purpose(Purpose, isServer: Bool, name: String?)
    /// `SecPolicyCreateRevocation`, with its flags: the requirements for revocation in addition to another policy.
    case revocation(UInt64)

    /// A purpose other than those with functions of their own; the raw value is its name in a trace.
    package enum Purpose: String, Sendable, Hashable, Codable, CaseIterable {
        /// Authentication in a network by TLS (EAP); it has sides, and names a server.
        case eap
        /// Virtual private networks (IPsec); it has sides, and names a host.
        case ipsec
        /// Mail (S/MIME); it names an e-mail address.
        case emailProtection
        /// Signing of programs.
        case codeSigning
        /// Signing of times.
        case timeStamping
        /// Chat; it names an e-mail address.
        case chat
        /// Sharing by Apple ID.
        case appleID
        /// Receipts of the Mac App Store.
        case macAppStoreReceipt
    }

    /// Whether a query condition evaluates the whole chain for it, and not only the certificate (Semantics, "Copying
    /// matching items").
    package var needsChain: Bool {
        switch self {
        case .basicX509, .revocation: true
        case .tls, .purpose: false
        }
    }

    /// Whether the policy is for one of two sides, servers and clients.
    package var hasSides: Bool {
        switch self {
        case .tls, .purpose(.eap, _, _), .purpose(.ipsec, _, _): true
        case .basicX509, .revocation, .purpose: false
        }
    }

    /// The host or e-mail address that the policy names; `nil` for any.
    package var name: String? {
        switch self {
        case .basicX509, .revocation: nil
        case .tls(_, let host): host
        case .purpose(_, _, let name): name
        }
    }
}
