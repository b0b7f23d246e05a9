// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainKeys

/// Encrypts messages for the keys of certificates (RFC 5652, section 6).
package enum MessageEncryption {
    /// Encrypts contents for every recipient with AES-256 in CBC mode; its key is encrypted with RSAES-PKCS1-v1_5 (RFC
    /// 3370), or wrapped with a key derived by ECDH (RFC 5753).
    ///
    /// - Parameters:
    ///   - contents: the contents.
    ///   - contentType: their type, as the content octets of its object identifier.
    ///   - recipients: the certificates.
    /// - Returns: The message in DER.
    /// - Throws: `errSecUnsupportedKeyFormat` for a certificate with a key of another kind.
    package static func message(
        _ contents: [UInt8],
        contentType: [UInt8],
        for recipients: [Certificate]
    ) throws(KeychainError) -> [UInt8] {
        var writer = try written { () throws(ContainerError) in
            try EnvelopedDataWriter(contentType: contentType, contents: contents)
        }
        for recipient in recipients {
            guard let key = try? PublicKey(subjectPublicKeyInfo: recipient.subjectPublicKeyInfo) else {
                throw KeychainError(.unsupportedKeyFormat, "nothing can be encrypted for the key of a certificate")
            }
            switch key.type {
            case .rsa:
                let encrypted = try transported(writer.contentKey, key)
                try written { () throws(ContainerError) in
                    try writer.add(transport: recipient.name, encryptedKey: encrypted)
                }
            case .ellipticCurve:
                let (agreement, wrapped) = try agreed(writer.contentKey, key)
                try written { () throws(ContainerError) in
                    try writer.add(agreement, recipient.name, encryptedKey: wrapped)
                }
            }
        }
        return try written { () throws(ContainerError) in try writer.message() }
    }

    private static func transported(_ contentKey: SecretBytes, _ key: PublicKey) throws(KeychainError) -> [UInt8] {
        do throws(KeyError) {
            guard let algorithm = KeyAlgorithm("algid:encrypt:RSA:PKCS1") else { throw .unsupportedAlgorithm }
            return try contentKey.withUnsafeBytes { (bytes) throws(KeyError) in try key.encrypt(bytes, algorithm) }
        } catch {
            throw KeychainError(error.status, error.reason)
        }
    }

    private static func agreed(
        _ contentKey: SecretBytes,
        _ key: PublicKey
    ) throws(KeychainError) -> (KeyAgreement, [UInt8]) {
        do throws(KeyError) {
            let sender = try PrivateKey(generating: .ellipticCurve, sizeInBits: key.sizeInBits)
            guard let agreement = try? KeyAgreement(senderKey: sender.publicKey.externalRepresentation) else {
                throw .unsupportedAlgorithm
            }
            let wrapping = try agreement.wrappingKey(sender, key)
            guard let wrapped = try? AES.KeyWrap.wrap(contentKey.symmetricKey, using: wrapping) else {
                throw .failed(.internalComponent, "the key could not be wrapped")
            }
            return (agreement, Array(wrapped))
        } catch {
            throw KeychainError(error.status, error.reason)
        }
    }

    private static func written<Result>(_ body: () throws(ContainerError) -> Result) throws(KeychainError) -> Result {
        do throws(ContainerError) {
            return try body()
        } catch {
            throw KeychainError(writing: error)
        }
    }
}

extension Status {
    /// A kind of key that is not implemented: `errSecUnsupportedKeyFormat`.
    static let unsupportedKeyFormat = Status(rawValue: -67734)
}
