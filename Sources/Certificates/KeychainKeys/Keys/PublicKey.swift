// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A validated public key on one of the curves, or of RSA.
package struct PublicKey: Sendable {
    /// The bytes that `SecKeyCopyExternalRepresentation` returns: 04 ‖ X ‖ Y (ANSI X9.63), or an `RSAPublicKey` in DER
    /// (PKCS #1).
    package let externalRepresentation: [UInt8]

    let implementation: Implementation

    enum Implementation: Sendable {
        case ellipticCurve(EllipticPublicKey)
        case rsa(RSAPublicKey)
    }

    /// A key from its external representation.
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for other bytes, points that are not on the curve, and trailing bytes.
    package init(externalRepresentation bytes: [UInt8], _ type: KeyType) throws(KeyError) {
        self = try bytes.withBytes { (bytes) throws(KeyError) in
            try PublicKey(externalRepresentation: bytes, type)
        }
    }

    init(externalRepresentation bytes: UnsafeRawBufferPointer, _ type: KeyType) throws(KeyError) {
        switch type {
        case .ellipticCurve: implementation = .ellipticCurve(try EllipticPublicKey(point: bytes))
        case .rsa: implementation = .rsa(try RSAPublicKey(pkcs1: bytes))
        }
        externalRepresentation = Array(bytes)
    }

    init(_ key: RSAPublicKey) {
        implementation = .rsa(key)
        externalRepresentation = key.pkcs1
    }

    init(_ key: EllipticPublicKey, point: [UInt8]) {
        implementation = .ellipticCurve(key)
        externalRepresentation = point
    }

    /// The family.
    package var type: KeyType {
        switch implementation {
        case .ellipticCurve: .ellipticCurve
        case .rsa: .rsa
        }
    }

    /// The size of the curve's field or of the modulus in bits: 256, 384, 521, or, for example, 2048.
    package var sizeInBits: Int {
        switch implementation {
        case .ellipticCurve(let key): key.curve.sizeInBits
        case .rsa(let key): key.sizeInBits
        }
    }

    /// The value of `SecKeyGetBlockSize`: the length of the modulus, or of a coordinate, in bytes.
    package var blockSize: Int { (sizeInBits + 7) / 8 }

    /// The `kSecAttrApplicationLabel` of both halves of a pair: the SHA-1 digest of the external representation, 20
    /// bytes (Semantics, "Attributes of a key").
    package var hash: [UInt8] { Insecure.SHA1.hash(data: externalRepresentation).withUnsafeBytes { Array($0) } }

    /// The curve; `nil` for RSA.
    var curve: Curve? {
        switch implementation {
        case .ellipticCurve(let key): key.curve
        case .rsa: nil
        }
    }
}

extension PublicKey: Hashable {
    /// Whether both are the same key.
    package static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.type == right.type && left.externalRepresentation == right.externalRepresentation
    }

    /// Hashes the external representation.
    package func hash(into hasher: inout Hasher) { hasher.combine(externalRepresentation) }
}
