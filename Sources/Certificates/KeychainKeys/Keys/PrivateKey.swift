// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A private key on one of the curves, or of RSA, or a key whose bytes are not accessible.
package struct PrivateKey: Sendable {
    /// The other half of the pair.
    package let publicKey: PublicKey

    let implementation: Implementation

    enum Implementation: Sendable {
        case ellipticCurve(EllipticPrivateKey)
        case rsa(RSAPrivateKey)
        case remote(any EllipticKeyOperations)
        case deferred(Loader)
    }

    /// Loads a key that is not available yet.
    package typealias Loader = @Sendable () throws(KeyError) -> PrivateKey

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - type: the family.
    ///   - sizeInBits: 256, 384 or 521 on a curve; for RSA, 1024 to 8192 in steps of 128, with the exponent 65537.
    /// - Throws: ``KeyError/parameter(_:)`` for another size.
    package init(generating type: KeyType, sizeInBits: Int) throws(KeyError) {
        self = try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            switch type {
            case .ellipticCurve:
                guard let curve = Curve(sizeInBits: sizeInBits) else {
                    throw .parameter("elliptic curve keys have 256, 384 or 521 bits")
                }
                return PrivateKey(EllipticPrivateKey(generating: curve))
            case .rsa:
                return PrivateKey(try RSAPrivateKey(generating: sizeInBits))
            }
        }
    }

    /// A key from its external representation: 04 ‖ X ‖ Y ‖ K (ANSI X9.63), whose point must match K, or an
    /// `RSAPrivateKey` in DER (PKCS #1).
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for other bytes, halves that do not match, and trailing bytes.
    package init(externalRepresentation bytes: SecretBytes, _ type: KeyType) throws(KeyError) {
        self = try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            try bytes.withUnsafeBytes { (bytes) throws(KeyError) in
                switch type {
                case .ellipticCurve: try PrivateKey(x963: bytes)
                case .rsa: PrivateKey(try RSAPrivateKey(pkcs1: bytes))
                }
            }
        }
    }

    /// A key that is stored elsewhere, such as in an enclave, and whose bytes are not accessible.
    ///
    /// - Parameters:
    ///   - publicKey: the public half, on a curve.
    ///   - operations: the operations that the key's storage performs.
    package init(publicKey: PublicKey, operations: any EllipticKeyOperations) {
        self.publicKey = publicKey
        implementation = .remote(operations)
    }

    /// A key whose bytes are not available yet, for example because its keychain is locked: each operation loads them.
    ///
    /// - Parameters:
    ///   - publicKey: the public half.
    ///   - loader: loads the private half.
    package init(publicKey: PublicKey, loader: @escaping Loader) {
        self.publicKey = publicKey
        implementation = .deferred(loader)
    }

    init(_ key: EllipticPrivateKey) {
        publicKey = PublicKey(key.publicKey, point: key.point)
        implementation = .ellipticCurve(key)
    }

    init(_ key: RSAPrivateKey) {
        publicKey = PublicKey(key.publicKey)
        implementation = .rsa(key)
    }

    private init(x963 bytes: UnsafeRawBufferPointer) throws(KeyError) {
        guard let curve = Curve.allCases.first(where: { $0.pointCount + $0.coordinateCount == bytes.count }) else {
            throw .malformed("an elliptic curve's private key is its public key and a number")
        }
        let scalar = UnsafeRawBufferPointer(rebasing: bytes[curve.pointCount...])
        self.init(try EllipticPrivateKey(scalar: scalar, curve))
        guard bytes.prefix(curve.pointCount).elementsEqual(publicKey.externalRepresentation) else {
            throw .malformed("the public key is not that of the private key")
        }
    }

    /// The family.
    package var type: KeyType { publicKey.type }

    /// The size in bits, which is that of the public key.
    package var sizeInBits: Int { publicKey.sizeInBits }

    /// The bytes that `SecKeyCopyExternalRepresentation` returns; `nil` for a key without accessible bytes.
    package var externalRepresentation: SecretBytes? {
        switch implementation {
        case .ellipticCurve(let key): SecretBytes(joining: [SecretBytes(publicKey.externalRepresentation), key.scalar])
        case .rsa(let key): key.pkcs1
        case .remote, .deferred: nil
        }
    }

    /// The key with its bytes; the same key if it already has them, or is stored elsewhere.
    ///
    /// - Throws: the error of its storage, and ``KeyError/malformed(_:)`` if that has the key of another pair.
    package func loaded() throws(KeyError) -> PrivateKey {
        guard case .deferred(let loader) = implementation else { return self }
        let key = try loader()
        guard key.publicKey == publicKey else { throw .malformed("the private key is not that of the public key") }
        return key
    }

    /// The primitive operations of a key on a curve; `nil` for RSA.
    var ellipticOperations: (any EllipticKeyOperations)? {
        switch implementation {
        case .ellipticCurve(let key): key
        case .remote(let operations): operations
        case .rsa, .deferred: nil
        }
    }
}
