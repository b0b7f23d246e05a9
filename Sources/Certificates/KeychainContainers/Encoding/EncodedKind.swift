// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// The kind of a DER encoding, by its outermost fields.
package enum EncodedKind: Sendable, Hashable, CaseIterable {
    /// A certificate (RFC 5280).
    case certificate
    /// A PKCS #12 file (RFC 7292).
    case pkcs12
    /// A `ContentInfo` (RFC 5652, section 3), the form of PKCS #7 files with certificates.
    case contentInfo
    /// A `PrivateKeyInfo` (RFC 5958).
    case privateKeyInfo
    /// An `EncryptedPrivateKeyInfo` (RFC 5958).
    case encryptedPrivateKeyInfo
    /// An `RSAPrivateKey` (RFC 8017).
    case rsaPrivateKey
    /// An `ECPrivateKey` (RFC 5915).
    case ellipticPrivateKey
    /// A `SubjectPublicKeyInfo` (RFC 5280).
    case publicKeyInfo
    /// An `RSAPublicKey` (RFC 8017).
    case rsaPublicKey

    /// The kind of the first value, by the types of its fields; `nil` for any other.
    package init?(_ der: [UInt8]) {
        guard let node = try? EncodedValue.parse(EncodedValue.first(of: der)[...], .basic, within: .file),
            node.identifier == .sequence,
            case .constructed(let fields) = node.content
        else { return nil }
        let types = fields.map(\.identifier)
        guard let kind = Self.allCases.first(where: { $0.matches(types) }) else { return nil }
        self = kind
    }

    /// The kind that a PEM label states (RFC 7468, and OpenSSL's older labels); `nil` for another label.
    package init?(label: String) {
        // "TRUSTED CERTIFICATE" and the like.
        let isCertificate =
            label.contains("CERTIFICATE") && !label.contains("REQUEST") && !label.hasPrefix("ATTRIBUTE")
        guard let kind = Self.labels[label] ?? (isCertificate ? .certificate : nil) else { return nil }
        self = kind
    }

    private static let labels: [String: EncodedKind] = [
        "PKCS12": .pkcs12, "PKCS7": .contentInfo, "PKCS #7 SIGNED DATA": .contentInfo, "CMS": .contentInfo,
        "PRIVATE KEY": .privateKeyInfo, "ENCRYPTED PRIVATE KEY": .encryptedPrivateKeyInfo,
        "RSA PRIVATE KEY": .rsaPrivateKey, "EC PRIVATE KEY": .ellipticPrivateKey, "PUBLIC KEY": .publicKeyInfo,
        "RSA PUBLIC KEY": .rsaPublicKey,
    ]

    private func matches(_ types: [ASN1Identifier]) -> Bool {
        switch self {
        case .certificate: types == [.sequence, .sequence, .bitString]
        case .pkcs12: types.prefix(2) == [.integer, .sequence] && types.dropFirst(2).first ?? .sequence == .sequence
        case .contentInfo: types == [.objectIdentifier, .context(0)]
        case .privateKeyInfo: types.prefix(3) == [.integer, .sequence, .octetString]
        case .encryptedPrivateKeyInfo: types == [.sequence, .octetString]
        case .rsaPrivateKey: types.count >= 9 && types.prefix(9).allSatisfy { $0 == .integer }
        case .ellipticPrivateKey: types.prefix(2) == [.integer, .octetString]
        case .publicKeyInfo: types == [.sequence, .bitString]
        case .rsaPublicKey: types == [.integer, .integer]
        }
    }
}
