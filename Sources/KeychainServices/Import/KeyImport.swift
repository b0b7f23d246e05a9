// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainKeys

/// Where import and export meet keys: nothing else of them knows how keys are encoded.
enum KeyImport {
    /// A private key from a `PrivateKeyInfo` (RFC 5958); `nil` for what is none, or a kind that is not implemented.
    static func privateKey(privateKeyInfo der: SecretBytes) -> SecKey? {
        (try? PrivateKey(pkcs8: der)).map { SecKey($0) }
    }

    /// A private key from an `RSAPrivateKey` (RFC 8017).
    static func privateKey(rsa der: SecretBytes) -> SecKey? {
        (try? PrivateKey(externalRepresentation: der, .rsa)).map { SecKey($0) }
    }

    /// A private key from an `ECPrivateKey` (RFC 5915).
    static func privateKey(elliptic der: SecretBytes) -> SecKey? {
        (try? PrivateKey(sec1: der)).map { SecKey($0) }
    }

    /// A public key from a `SubjectPublicKeyInfo` (RFC 5280).
    static func publicKey(subjectPublicKeyInfo der: SecretBytes) -> SecKey? {
        (try? PublicKey(subjectPublicKeyInfo: der.unprotectedCopy)).map { SecKey($0) }
    }

    /// A public key from an `RSAPublicKey` (RFC 8017).
    static func publicKey(rsa der: SecretBytes) -> SecKey? {
        (try? PublicKey(externalRepresentation: der.unprotectedCopy, .rsa)).map { SecKey($0) }
    }

    /// The encodings of a key; `nil` for one that does not leave its place.
    static func encoding(of key: SecKey) -> KeyEncoding? {
        switch key.half {
        case .public(let key):
            return .publicKey(subjectPublicKeyInfo: SecretBytes(key.subjectPublicKeyInfo))
        case .private(let key):
            guard let privateKeyInfo = key.pkcs8, let bytes = key.type == .rsa ? key.externalRepresentation : key.sec1
            else { return nil }
            let label = key.type == .rsa ? "RSA PRIVATE KEY" : "EC PRIVATE KEY"
            return .privateKey(privateKeyInfo: privateKeyInfo, traditional: PEMDocument(label, bytes))
        }
    }
}

/// A key in the encodings that files have.
enum KeyEncoding {
    /// The `PrivateKeyInfo`, and what OpenSSL wrote before: the label of PEM, and the bytes.
    case privateKey(privateKeyInfo: SecretBytes, traditional: PEMDocument)
    /// The `SubjectPublicKeyInfo`.
    case publicKey(subjectPublicKeyInfo: SecretBytes)
}
