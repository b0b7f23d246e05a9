// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A private key on one of the curves, or of RSA, or one that lives elsewhere.
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

    /// Gets a key that is not at hand yet.
    package typealias Loader = @Sendable () throws(KeyError) -> PrivateKey

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - type: the family.
    ///   - sizeInBits: 256, 384 or 521 on a curve; for RSA 1024 to 8192 in steps of 128, with the exponent 65537.
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

    /// A key from its external representation: 04 ‖ X ‖ Y ‖ K (ANSI X9.63), whose point must be K's, or an
    /// `RSAPrivateKey` in DER (PKCS #1).
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for other bytes, halves that do not fit together, trailing bytes.
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

    /// A key that lives elsewhere, for example in an enclave, whose bytes are not available here.
    ///
    /// - Parameters:
    ///   - publicKey: the public half, on a curve.
    ///   - operations: what the place that keeps the key does with it.
    package init(publicKey: PublicKey, operations: any EllipticKeyOperations) {
        self.publicKey = publicKey
        implementation = .remote(operations)
    }

    /// A key whose bytes are not at hand yet, for example because its keychain is locked: each operation gets them.
    ///
    /// - Parameters:
    ///   - publicKey: the public half.
    ///   - loader: gets the private half.
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

    /// The size in bits, that of the public key.
    package var sizeInBits: Int { publicKey.sizeInBits }

    /// The bytes that `SecKeyCopyExternalRepresentation` gives; `nil` for a key that lives elsewhere.
    package var externalRepresentation: SecretBytes? {
        switch implementation {
        case .ellipticCurve(let key): SecretBytes(joining: [SecretBytes(publicKey.externalRepresentation), key.scalar])
        case .rsa(let key): key.pkcs1
        case .remote, .deferred: nil
        }
    }

    /// The key with its bytes; a key that has them, or lives elsewhere, is that itself.
    ///
    /// - Throws: what its place says, and ``KeyError/malformed(_:)`` when that has the key of another pair.
    package func loaded() throws(KeyError) -> PrivateKey {
        guard case .deferred(let loader) = implementation else { return self }
        let key = try loader()
        guard key.publicKey == publicKey else { throw .malformed("the private key is not that of the public key") }
        return key
    }

    /// What the key does itself, on a curve; `nil` for RSA.
    var ellipticOperations: (any EllipticKeyOperations)? {
        switch implementation {
        case .ellipticCurve(let key): key
        case .remote(let operations): operations
        case .rsa, .deferred: nil
        }
    }
}
