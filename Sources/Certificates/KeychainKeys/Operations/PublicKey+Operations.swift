// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PublicKey {
    /// Verifies a signature of a message, a digest or bytes, as the algorithm specifies.
    ///
    /// - Throws: ``KeyError/verificationFailed`` for a signature that is wrong or malformed;
    ///   ``KeyError/unsupportedAlgorithm``; ``KeyError/parameter(_:)`` for a digest of a wrong length.
    package func verify(
        _ signature: UnsafeRawBufferPointer,
        of data: UnsafeRawBufferPointer,
        _ algorithm: KeyAlgorithm
    ) throws(KeyError) {
        guard supports(.verify, algorithm) else { throw .unsupportedAlgorithm }
        let isValid: Bool
        switch (algorithm.scheme, implementation) {
        case (.rsaSignature(let padding, let input), .rsa(let key)):
            isValid = try RSASignatures(padding: padding, input: input).isValid(signature, of: data, key)
        case (.ecdsa(let form, let input), .ellipticCurve(let key)):
            let digest = AnyDigest(bytes: try input.bytes(data))
            isValid =
                ECDSASignature(signature, as: form, on: key.curve).map { key.isValid($0.raw, of: digest) } ?? false
        default: throw .unsupportedAlgorithm
        }
        guard isValid else { throw .verificationFailed }
    }

    /// Verifies an RSASSA-PSS signature (RFC 8017, section 8.1.2) with a salt whose length differs from that of the
    /// digest.
    ///
    /// - Parameters:
    ///   - signature: the signature.
    ///   - digest: the digest of what was signed.
    ///   - function: the digest function, which is also that of the mask.
    ///   - saltCount: the length of the salt in bytes.
    /// - Throws: ``KeyError/verificationFailed`` for a signature that is wrong or malformed;
    ///   ``KeyError/unsupportedAlgorithm`` for a key that is not an RSA key.
    package func verifyPSS(
        _ signature: [UInt8],
        of digest: [UInt8],
        _ function: DigestAlgorithm,
        saltCount: Int
    ) throws(KeyError) {
        guard case .rsa(let key) = implementation else { throw .unsupportedAlgorithm }
        guard signature.count == key.count,
            let encoded = try? signature.withBytes({ (bytes) throws(KeyError) in try key.raw(bytes) })
        else { throw .verificationFailed }
        let isValid = EMSAPSS(digest: function, saltCount: saltCount)
            .isValid(encoded, for: digest, bits: key.sizeInBits)
        guard isValid else { throw .verificationFailed }
    }

    /// Encrypts data for the owner of the private key.
    ///
    /// - Throws: ``KeyError/unsupportedAlgorithm``; ``KeyError/parameter(_:)`` for data that is too long for the
    ///   padding.
    package func encrypt(_ plaintext: UnsafeRawBufferPointer, _ algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
        guard supports(.encrypt, algorithm) else { throw .unsupportedAlgorithm }
        switch (algorithm.scheme, implementation) {
        case (.rsaEncryption(let padding), .rsa(let key)):
            return try RSAEncryption(padding: padding).encrypt(plaintext, to: self, numbers: key)
        case (.rsaHybrid(let digest), .rsa(let key)):
            return try RSAHybrid(digest: digest).encrypt(plaintext, to: self, numbers: key)
        case (.ecies(let digest, let nonce), .ellipticCurve(let key)):
            return try ECIES(digest: digest, nonce: nonce).encrypt(plaintext, to: self, on: key.curve)
        default: throw .unsupportedAlgorithm
        }
    }

    /// The operation of an RSA public key on output of the private key, without padding.
    ///
    /// - Throws: ``KeyError/unsupportedAlgorithm``; ``KeyError/parameter(_:)`` for data that is not a number below the
    ///   modulus.
    package func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        _ algorithm: KeyAlgorithm
    ) throws(KeyError) -> SecretBytes {
        guard supports(.decrypt, algorithm), case .rsa(let key) = implementation else { throw .unsupportedAlgorithm }
        return try RSAEncryption.recover(ciphertext, key)
    }
}
