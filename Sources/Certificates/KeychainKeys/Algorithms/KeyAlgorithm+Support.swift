// SPDX-License-Identifier: Apache-2.0

extension PrivateKey {
    /// Whether the key supports an operation with an algorithm.
    package func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool {
        algorithm.fits(publicKey) && algorithm.privateOperation == operation
    }
}

extension PublicKey {
    /// Whether the key supports an operation with an algorithm.
    ///
    /// An RSA public key also decrypts without padding, for verifying signatures step by step (Semantics, "Attributes
    /// of a key").
    package func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool {
        guard algorithm.fits(self) else { return false }
        return algorithm.publicOperation == operation
            || (operation == .decrypt && algorithm.scheme == .rsaEncryption(.raw))
    }
}

extension KeyAlgorithm {
    /// The operations of a private key with it.
    fileprivate var privateOperation: KeyOperation {
        switch scheme {
        case .ecdsa, .rsaSignature: .sign
        case .rsaEncryption, .rsaHybrid, .ecies: .decrypt
        case .keyExchange: .keyExchange
        }
    }

    /// The operations of a public key with it.
    fileprivate var publicOperation: KeyOperation? {
        switch scheme {
        case .ecdsa, .rsaSignature: .verify
        case .rsaEncryption, .rsaHybrid, .ecies: .encrypt
        case .keyExchange: nil
        }
    }

    /// Whether it is for the key's family, and the key is large enough for its padding.
    fileprivate func fits(_ key: PublicKey) -> Bool {
        switch (scheme, key.type) {
        case (.ecdsa, .ellipticCurve), (.ecies, .ellipticCurve), (.keyExchange, .ellipticCurve): true
        case (.rsaSignature(let padding, let input), .rsa):
            padding.minimumByteCount(input) <= (key.sizeInBits + (padding == .pss ? 6 : 7)) / 8
        case (.rsaEncryption(let padding), .rsa): padding.overhead <= key.blockSize
        case (.rsaHybrid(let digest), .rsa):
            RSAEncryptionPadding.oaep(digest).overhead + RSAHybrid.keyCount(key) <= key.blockSize
        default: false
        }
    }
}

extension KeyAlgorithm.RSASignaturePadding {
    /// The minimum length of an encoded message (RFC 8017, sections 9.1.1 and 9.2).
    fileprivate func minimumByteCount(_ input: KeyAlgorithm.SignatureInput) -> Int {
        let digest = input.digest
        return switch self {
        case .raw: 0
        case .pkcs1: (digest.map { $0.digestInfoPrefix.count + $0.count } ?? 0) + 11
        case .pss: 2 * (digest?.count ?? 0) + 2
        }
    }
}

extension KeyAlgorithm.SignatureInput {
    /// The digest function, if the algorithm names one.
    var digest: DigestAlgorithm? {
        switch self {
        case .message(let digest), .digest(let digest): digest
        case .bytes: nil
        }
    }
}

extension KeyAlgorithm.RSAEncryptionPadding {
    /// The minimum number of bytes of a block that the padding takes (RFC 8017, sections 7.1.1 and 7.2.1).
    var overhead: Int {
        switch self {
        case .raw: 0
        case .pkcs1: 11
        case .oaep(let digest): 2 * digest.count + 2
        }
    }
}
