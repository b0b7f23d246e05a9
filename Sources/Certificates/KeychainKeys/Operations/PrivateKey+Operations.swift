// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PrivateKey {
    /// Signs a message, a digest or bytes, as the algorithm specifies.
    ///
    /// - Throws: ``KeyError/unsupportedAlgorithm``; ``KeyError/parameter(_:)`` for a digest of a wrong length or bytes
    ///   that are too long; the error of the key's storage.
    package func signature(_ data: UnsafeRawBufferPointer, _ algorithm: KeyAlgorithm) throws(KeyError) -> [UInt8] {
        guard supports(.sign, algorithm) else { throw .unsupportedAlgorithm }
        let implementation = try loaded().implementation
        return try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            switch (algorithm.scheme, implementation) {
            case (.rsaSignature(let padding, let input), .rsa(let key)):
                return try RSASignatures(padding: padding, input: input).sign(data, key)
            case (.ecdsa(let form, let input), .ellipticCurve(let key)):
                return ECDSASignature(raw: try key.signature(of: try input.bytes(data))).bytes(form)
            case (.ecdsa(let form, let input), .remote(let key)):
                return ECDSASignature(raw: try key.signature(of: try input.bytes(data))).bytes(form)
            default: throw .unsupportedAlgorithm
            }
        }
    }

    /// Decrypts data that was encrypted with the public key and the same algorithm.
    ///
    /// - Throws: ``KeyError/unsupportedAlgorithm``; ``KeyError/decryptionFailed`` for any defect of the ciphertext; the
    ///   error of the key's storage.
    package func decrypt(
        _ ciphertext: UnsafeRawBufferPointer,
        _ algorithm: KeyAlgorithm
    ) throws(KeyError) -> SecretBytes {
        guard supports(.decrypt, algorithm) else { throw .unsupportedAlgorithm }
        let key = try loaded()
        return try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            switch (algorithm.scheme, key.implementation) {
            case (.rsaEncryption(let padding), .rsa(let key)):
                return try RSAEncryption(padding: padding).decrypt(ciphertext, key)
            case (.rsaHybrid(let digest), .rsa(let key)):
                return try RSAHybrid(digest: digest).decrypt(ciphertext, with: key, publicKey: publicKey)
            case (.ecies(let digest, let nonce), _):
                guard let key = key.ellipticOperations, let curve = publicKey.curve else { throw .unsupportedAlgorithm }
                return try ECIES(digest: digest, nonce: nonce).decrypt(ciphertext, with: key, on: curve)
            default: throw .unsupportedAlgorithm
            }
        }
    }

    /// Computes the secret shared with the owner of another key.
    ///
    /// - Parameters:
    ///   - publicKey: the other party's key, on the same curve.
    ///   - algorithm: ECDH alone, or with a key derivation function.
    ///   - requestedSize: the number of bytes that the function derives, at most a mebibyte; ignored without a
    ///     function.
    ///   - sharedInfo: the shared information of the key derivation function.
    /// - Returns: The requested number of bytes, or the x-coordinate of the shared point.
    /// - Throws: ``KeyError/unsupportedAlgorithm``; ``KeyError/parameter(_:)`` for a key on another curve or a missing
    ///   size.
    package func keyExchange(
        with publicKey: PublicKey,
        _ algorithm: KeyAlgorithm,
        requestedSize: Int? = nil,
        sharedInfo: [UInt8] = []
    ) throws(KeyError) -> SecretBytes {
        guard supports(.keyExchange, algorithm), case .keyExchange(let digest) = algorithm.scheme,
            let key = try loaded().ellipticOperations
        else { throw .unsupportedAlgorithm }
        guard publicKey.curve == self.publicKey.curve else {
            throw .parameter("the two keys are not on the same curve")
        }
        return try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            guard let digest else { return try key.sharedSecret(with: publicKey) }
            guard let requestedSize else { throw .parameter("the requested size is missing") }
            return try X963KeyDerivation(digest: digest)
                .key(try key.sharedSecret(with: publicKey), sharedInfo, count: requestedSize)
        }
    }
}
