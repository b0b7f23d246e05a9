// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Encryption of data of any length with an RSA key: the `…OAEP…AESGCM` algorithms.
///
/// The output is a new AES key, encrypted with OAEP; the data encrypted with AES-GCM; and the 16-byte tag. The nonce is
/// 16 zero bytes, which is safe because the key is used once. The authenticated data is the external representation of
/// the public key. The AES key has 256 bits for RSA keys of at least 4096 bits, else 128 (Apple's SecKey.h).
struct RSAHybrid {
    let digest: DigestAlgorithm

    func encrypt(
        _ plaintext: UnsafeRawBufferPointer,
        to key: PublicKey,
        numbers: RSAPublicKey
    ) throws(KeyError) -> [UInt8] {
        let session = SecretBytes(random: Self.keyCount(key))
        let wrapped = try session.withUnsafeBytes { (session) throws(KeyError) in
            try RSAEncryption(padding: .oaep(digest)).encrypt(session, to: key, numbers: numbers)
        }
        let cipher = AuthenticatedCipher(key: session, nonce: AuthenticatedCipher.zeroNonce)
        return wrapped + (try cipher.seal(plaintext, authenticating: key.externalRepresentation))
    }

    func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        with key: RSAPrivateKey,
        publicKey: PublicKey
    ) throws(KeyError) -> SecretBytes {
        let count = key.publicKey.count
        guard ciphertext.count >= count + AuthenticatedCipher.tagCount else { throw .decryptionFailed }
        let wrapped = UnsafeRawBufferPointer(rebasing: ciphertext.prefix(count))
        let session = try RSAEncryption(padding: .oaep(digest)).decrypt(wrapped, key)
        guard session.count == Self.keyCount(publicKey) else { throw .decryptionFailed }
        let cipher = AuthenticatedCipher(key: session, nonce: AuthenticatedCipher.zeroNonce)
        let sealed = UnsafeRawBufferPointer(rebasing: ciphertext.dropFirst(count))
        return try cipher.open(sealed, authenticating: publicKey.externalRepresentation)
    }

    /// The length of the AES key in bytes.
    static func keyCount(_ key: PublicKey) -> Int { key.sizeInBits >= 4096 ? 32 : 16 }
}
