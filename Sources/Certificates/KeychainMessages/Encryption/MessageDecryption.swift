// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainContainers
import KeychainCore
import KeychainKeys

/// Decrypts messages with the key of a recipient.
package enum MessageDecryption {
    /// Decrypts the contents of a message.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - recipient: one of its recipients.
    ///   - key: the recipient's private key.
    /// - Returns: The contents; `nil` if they are detached.
    /// - Throws: `errSecDecode` for any defect of the content-encryption key or the contents; `errSecUnimplemented` for
    ///   algorithms that are not implemented; the error of the key's storage.
    package static func contents(
        of message: EnvelopedData,
        for recipient: MessageRecipient,
        with key: PrivateKey
    ) throws(KeychainError) -> [UInt8]? {
        let count = try read { () throws(ContainerError) in try message.contentKeyByteCount() }
        let contentKey: SecretBytes
        do throws(KeyError) {
            switch recipient.method {
            case .transport(let algorithm, let parameters):
                contentKey = try transported(
                    recipient.encryptedKey,
                    algorithm: algorithm,
                    parameters: parameters,
                    with: key,
                    count: count
                )
            case .agreement(let agreement):
                let sender = try PublicKey(externalRepresentation: agreement.senderKey, .ellipticCurve)
                let wrapping = try agreement.wrappingKey(key, sender)
                guard let unwrapped = try? AES.KeyWrap.unwrap(recipient.encryptedKey, using: wrapping) else {
                    throw .decryptionFailed
                }
                contentKey = SecretBytes(unwrapped)
            }
        } catch {
            switch error {
            case .unsupportedAlgorithm: throw KeychainError(.unimplemented, error.reason)
            case .failed, .operationNotAllowed: throw KeychainError(error.status, error.reason)
            default: throw KeychainError(.decode, "the key of the contents cannot be decrypted")
            }
        }
        return try read { () throws(ContainerError) in try message.contents(contentKey) }
    }

    private static func transported(
        _ encrypted: [UInt8],
        algorithm: String,
        parameters: [UInt8]?,
        with key: PrivateKey,
        count: Int
    ) throws(KeyError) -> SecretBytes {
        var name: String?
        switch algorithm {
        case rsaEncryption: name = "algid:encrypt:RSA:PKCS1"
        case oaep:
            // If digest and mask have the same function.
            if let padding = try? RSAPaddingParameters(parameters, isEncryption: true),
                padding.digest == padding.maskDigest, let digest = DigestAlgorithm(objectIdentifier: padding.digest)
            {
                name = "algid:encrypt:RSA:OAEP:\(digest.rawValue)"
            }
        default: break
        }
        guard let known = name.flatMap(KeyAlgorithm.init) else { throw .unsupportedAlgorithm }
        do throws(KeyError) {
            let plain = try encrypted.withBytes { (bytes) throws(KeyError) in try key.decrypt(bytes, known) }
            if plain.count == count || algorithm == oaep { return plain }
        } catch .decryptionFailed where algorithm == rsaEncryption {
            // As for a wrong key of the right length below.
        } catch {
            throw error
        }
        // The validity of the padding is not reported: the contents are decrypted with a wrong key (RFC 3218, section
        // 2.3.2).
        return SecretBytes(SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)))
    }

    private static let rsaEncryption = "1.2.840.113549.1.1.1"
    private static let oaep = "1.2.840.113549.1.1.7"

    private static func read<Result>(_ body: () throws(ContainerError) -> Result) throws(KeychainError) -> Result {
        do throws(ContainerError) {
            return try body()
        } catch {
            throw KeychainError(error.kind == .unsupported ? .unimplemented : .decode, error.reason)
        }
    }
}
