// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import KeychainCore
import KeychainKeys

/// How the secrets of a session are coded (Secret Service API, "Transfer of Secrets").
enum SecretCoding: Sendable {
    /// As they are.
    case plain
    /// With AES-128-CBC and the padding of PKCS #7, under the key of the session.
    case encrypted(SecretBytes)

    /// The names of the algorithms by which a program opens a session.
    enum Algorithm: String, Sendable {
        case plain
        case keyAgreement = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
    }

    private static let blockByteCount = 16

    /// Codes a secret, with a start of its own if it is encrypted.
    func encode(_ secret: SecretBytes) throws(ServiceError) -> CodedSecret {
        guard case .encrypted(let key) = self else { return CodedSecret(parameters: [], value: secret) }
        let start = AES._CBC.IV()
        do {
            let value = try secret.withUnsafeBytes { try AES._CBC.encrypt($0, using: Self.symmetric(key), iv: start) }
            return CodedSecret(parameters: Array(start), value: SecretBytes(wiping: value))
        } catch { throw .failed }
    }

    /// The secret that a program has coded.
    ///
    /// - Throws: ``ServiceError/invalidArguments`` for parameters of another algorithm, cut-off text and wrong padding;
    ///   ``ServiceError/limitsExceeded`` for more than an item may have.
    func decode(_ coded: CodedSecret) throws(ServiceError) -> SecretBytes {
        let secret = try decodeOfAnySize(coded)
        guard secret.count <= ItemLimits.secretByteCount else { throw .limitsExceeded }
        return secret
    }

    private func decodeOfAnySize(_ coded: CodedSecret) throws(ServiceError) -> SecretBytes {
        guard case .encrypted(let key) = self else {
            guard coded.parameters.isEmpty else { throw .invalidArguments }
            return coded.value
        }
        guard coded.parameters.count == Self.blockByteCount, !coded.value.isEmpty,
            coded.value.count.isMultiple(of: Self.blockByteCount)
        else { throw .invalidArguments }
        do {
            let start = try AES._CBC.IV(ivBytes: coded.parameters)
            let plain = try coded.value.withUnsafeBytes {
                try AES._CBC.decrypt($0, using: Self.symmetric(key), iv: start)
            }
            return SecretBytes(wiping: plain)
        } catch { throw .invalidArguments }
    }

    private static func symmetric(_ key: SecretBytes) -> SymmetricKey { key.withUnsafeBytes { SymmetricKey(data: $0) } }
}

/// A secret as it is in a message.
struct CodedSecret: Sendable {
    /// Of the algorithm: where its encryption starts.
    let parameters: [UInt8]
    /// The secret, encrypted or as it is.
    let value: SecretBytes
}
