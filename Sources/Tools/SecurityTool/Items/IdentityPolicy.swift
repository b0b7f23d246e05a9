// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTrust

/// A policy of `find-identity`, in the order in which they are printed.
enum IdentityPolicy: String, CaseIterable {
    case sslClient = "ssl-client"
    case sslServer = "ssl-server"
    case smime
    case eap
    case ipsec
    case ichat
    case codesigning
    case basic
    case systemDefault = "sys-default"
    case kerberos = "sys-kerberos-kdc"
    case appleID
    case macAppStore = "macappstore"

    /// The name of the policy.
    var title: String {
        switch self {
        case .sslClient: "SSL (client)"
        case .sslServer: "SSL (server)"
        case .smime: "S/MIME"
        case .eap: "EAP"
        case .ipsec: "IPsec"
        case .ichat: "iChat"
        case .codesigning: "Code Signing"
        case .basic: "X.509 Basic"
        case .systemDefault: "System Default"
        case .kerberos: "Kerberos KDC"
        case .appleID: "AppleID Sharing"
        case .macAppStore: "Mac App Store Receipt"
        }
    }

    /// The policy for a certificate, with a host or an e-mail address if it takes one.
    private func policy(_ name: String?) -> CertificatePolicy {
        switch self {
        case .sslClient: .tls(isServer: false, host: nil)
        case .sslServer: .tls(isServer: true, host: name)
        case .smime: .purpose(.emailProtection, isServer: false, name: name)
        case .eap: .purpose(.eap, isServer: false, name: name)
        case .ipsec: .purpose(.ipsec, isServer: false, name: name)
        case .ichat: .purpose(.chat, isServer: false, name: name)
        case .codesigning: .purpose(.codeSigning, isServer: false, name: nil)
        case .basic, .systemDefault, .kerberos: .basicX509
        case .appleID: .purpose(.appleID, isServer: false, name: nil)
        case .macAppStore: .purpose(.macAppStoreReceipt, isServer: false, name: nil)
        }
    }

    /// Why an identity is not valid for the policy, in the words of macOS; `nil` if it is valid.
    ///
    /// - Throws: ``KeychainError`` if certificates cannot be evaluated.
    func reason(
        against certificate: StoredCertificate,
        others: [Certificate],
        name: String?,
        at date: Timestamp,
        _ settings: TrustSettingsStore
    ) throws(KeychainError) -> String? {
        try TrustJudgement.reason(
            against: certificate.certificate.der,
            others: others.map(\.der),
            for: policy(name),
            at: date,
            settings: settings
        )
    }
}
