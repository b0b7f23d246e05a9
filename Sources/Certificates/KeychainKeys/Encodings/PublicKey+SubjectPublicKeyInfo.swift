// SPDX-License-Identifier: Apache-2.0

extension PublicKey {
    /// A key from the `SubjectPublicKeyInfo` of a certificate (RFC 5280, section 4.1) in DER.
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for another encoding or kind of key; points must be uncompressed.
    package init(subjectPublicKeyInfo der: [UInt8]) throws(KeyError) {
        self = try der.withBytes { (der) throws(KeyError) in
            var outer = DERReader(der)
            var reader = try outer.sequence()
            try outer.end()
            let algorithm = try AlgorithmIdentifier(&reader)
            let bytes = try reader.bitString()
            try reader.end()
            let key = try PublicKey(externalRepresentation: bytes, algorithm.type)
            guard algorithm == key.algorithmIdentifier else { throw .malformed("the point lies on another curve") }
            return key
        }
    }

    /// A key from the bytes that Apple's functions accept: its external representation, or for RSA also a
    /// `SubjectPublicKeyInfo` in DER (Apple's SecKey.h).
    init(data: [UInt8], _ type: KeyType) throws(KeyError) {
        guard type == .rsa, Self.isSubjectPublicKeyInfo(data) else {
            self = try PublicKey(externalRepresentation: data, type)
            return
        }
        self = try PublicKey(subjectPublicKeyInfo: data)
        guard self.type == type else { throw .malformed("the key is not one of RSA") }
    }

    /// Whether an encoding begins with an algorithm, and not with a number.
    private static func isSubjectPublicKeyInfo(_ der: [UInt8]) -> Bool {
        der.withBytes { bytes in
            var outer = DERReader(bytes)
            return (try? outer.sequence())?.tag == DERTag.sequence
        }
    }

    /// The key as a `SubjectPublicKeyInfo` in DER.
    package var subjectPublicKeyInfo: [UInt8] {
        DERWriter.element(
            DERTag.sequence,
            algorithmIdentifier.der,
            DERWriter.bitString(DERTag.bitString, externalRepresentation)
        )
    }

    var algorithmIdentifier: AlgorithmIdentifier { curve.map { .ellipticCurve($0) } ?? .rsa }
}

extension AlgorithmIdentifier {
    /// The family of keys with this identifier.
    var type: KeyType {
        switch self {
        case .rsa: .rsa
        case .ellipticCurve: .ellipticCurve
        }
    }
}
