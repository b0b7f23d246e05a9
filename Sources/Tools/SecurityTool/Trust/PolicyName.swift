// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A policy by its name for `-p` of the trust commands, ignoring case.
enum PolicyName {
    private static let policies: [String: CertificatePolicy] = [
        "basic": .basicX509,
        "ssl": .tls(isServer: true, host: nil),
        "smime": .purpose(.emailProtection, isServer: true, name: nil),
        "codesign": .purpose(.codeSigning, isServer: true, name: nil),
        // Software updates and packages are signed for the same purpose.
        "swupdate": .purpose(.codeSigning, isServer: true, name: nil),
        "pkgsign": .purpose(.codeSigning, isServer: true, name: nil),
        "ipsec": .purpose(.ipsec, isServer: true, name: nil),
        "ichat": .purpose(.chat, isServer: true, name: nil),
        "eap": .purpose(.eap, isServer: true, name: nil),
        "appleid": .purpose(.appleID, isServer: true, name: nil),
        "macappstore": .purpose(.macAppStoreReceipt, isServer: true, name: nil),
        "timestamping": .purpose(.timeStamping, isServer: true, name: nil),
    ]

    /// The policy with a name.
    ///
    /// - Throws: ``CommandFailure/usage`` for an unknown name.
    static func policy(_ word: Word) throws(CommandFailure) -> CertificatePolicy {
        guard let policy = word.text.flatMap({ policies[$0.lowercased()] }) else { throw .usage }
        return policy
    }

    /// The name of a policy in `dump-trust-settings`, by its object identifier.
    static func title(_ policy: CertificatePolicy) -> String {
        switch policy {
        case .basicX509: "Basic X509"
        case .tls: "SSL"
        case .purpose(.emailProtection, _, _): "S/MIME"
        case .purpose(.eap, _, _): "EAP"
        case .purpose(.ipsec, _, _): "IPSec"
        case .purpose(.chat, _, _): "iChat"
        case .purpose(.codeSigning, _, _): "Code Signing"
        case .purpose(.appleID, _, _): "AppleID Sharing"
        case .purpose(.macAppStoreReceipt, _, _): "Mac App Store Receipt"
        case .purpose(.timeStamping, _, _): "Time Stamping"
        case .revocation: "Revocation"
        }
    }
}

extension CertificatePolicy {
    /// The policy for a host or an e-mail address, if it takes one.
    func named(_ name: String?) -> CertificatePolicy {
        switch self {
        case .tls(let isServer, _): .tls(isServer: isServer, host: name)
        case .purpose(let purpose, let isServer, _): .purpose(purpose, isServer: isServer, name: name)
        case .basicX509, .revocation: self
        }
    }
}
