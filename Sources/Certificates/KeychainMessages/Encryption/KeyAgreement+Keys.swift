// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainContainers
import KeychainCore
import KeychainKeys

extension KeyAgreement {
    /// The key-encryption key, as either party derives it from its own private key.
    ///
    /// - Throws: ``KeyError/unsupportedAlgorithm`` for an agreement that is not implemented, and the errors of the key.
    func wrappingKey(_ privateKey: PrivateKey, _ publicKey: PublicKey) throws(KeyError) -> SymmetricKey {
        guard let digest = Self.derivations[algorithm], let wrap = try? wrap(), let byteCount = Self.wraps[wrap],
            let info = try? sharedInfo(byteCount: byteCount),
            let algorithm = KeyAlgorithm("algid:keyexchange:ECDH:KDFX963:\(digest.rawValue)")
        else { throw .unsupportedAlgorithm }
        return try privateKey.keyExchange(with: publicKey, algorithm, requestedSize: byteCount, sharedInfo: info)
            .symmetricKey
    }

    /// ECDH with the key derivation function of ANSI X9.63 (RFC 5753, section 7.1.4), and with the cofactor, which is 1
    /// on the supported curves.
    private static let derivations: [String: DigestAlgorithm] = [
        "1.3.133.16.840.63.0.2": .sha1, "1.3.132.1.11.0": .sha224, "1.3.132.1.11.1": .sha256,
        "1.3.132.1.11.2": .sha384, "1.3.132.1.11.3": .sha512,
        "1.3.133.16.840.63.0.3": .sha1, "1.3.132.1.14.0": .sha224, "1.3.132.1.14.1": .sha256,
        "1.3.132.1.14.2": .sha384, "1.3.132.1.14.3": .sha512,
    ]

    /// The lengths of the keys of AES Key Wrap (RFC 3565, section 2.3.2).
    private static let wraps = [
        "2.16.840.1.101.3.4.1.5": 16, "2.16.840.1.101.3.4.1.25": 24, "2.16.840.1.101.3.4.1.45": 32,
    ]
}

extension SecretBytes {
    /// The bytes as a key.
    var symmetricKey: SymmetricKey { withUnsafeBytes { SymmetricKey(data: $0) } }

    /// A key's bytes.
    init(_ key: SymmetricKey) { self = key.withUnsafeBytes { SecretBytes(copying: $0) } }
}
