// SPDX-License-Identifier: Apache-2.0

/// What a `SecPolicy` asks of a certificate.
public enum CertificatePolicy: Sendable, Hashable {
    /// `SecPolicyCreateBasicX509`: a certificate that may be used now.
    case basicX509
    /// `SecPolicyCreateSSL`: for a server or a client of TLS, and for a host if one is named.
    case tls(isServer: Bool, host: String?)
}
