// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PrivateKey {
    /// A key from the `ECPrivateKey` of SEC 1 (RFC 5915) in DER.
    ///
    /// Without the parameters that name the curve, the length of the number determines it; the public key may be
    /// missing.
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for another encoding, or a public key that does not match the private key.
    package init(sec1 der: SecretBytes) throws(KeyError) {
        self = try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            try der.withUnsafeBytes { (der) throws(KeyError) in try PrivateKey(sec1: der, nil) }
        }
    }

    /// A key from an `ECPrivateKey` on a curve named by the enclosing structure; parameters inside must name the same
    /// curve.
    init(sec1 der: UnsafeRawBufferPointer, _ curve: Curve?) throws(KeyError) {
        var outer = DERReader(der)
        var reader = try outer.sequence()
        try outer.end()
        _ = try reader.version(1...1)
        let scalar = try reader.element(DERTag.octetString)
        var named = curve
        if reader.tag == DERTag.context(0) {
            var parameters = DERReader(try reader.element(DERTag.context(0)))
            named = Curve(objectIdentifier: try parameters.element(DERTag.objectIdentifier))
            try parameters.end()
            guard named != nil, curve == nil || curve == named else {
                throw .malformed("the curve is not one of P-256, P-384 and P-521, or not the one expected")
            }
        }
        guard let curve = named ?? Curve.allCases.first(where: { $0.coordinateCount == scalar.count }) else {
            throw .malformed("the private key has the length of no curve")
        }
        self.init(try EllipticPrivateKey(scalar: scalar, curve))
        if reader.tag == DERTag.context(1) {
            var container = DERReader(try reader.element(DERTag.context(1)))
            try check(point: try container.bitString())
            try container.end()
        }
        try reader.end()
    }

    /// Fails if a public key is included that does not match the private key.
    func check(point: UnsafeRawBufferPointer) throws(KeyError) {
        guard point.elementsEqual(publicKey.externalRepresentation) else {
            throw .malformed("the public key is not that of the private key")
        }
    }

    /// The key as an `ECPrivateKey` in DER, with parameters and public key; `nil` for RSA, and for a key without
    /// accessible bytes.
    package var sec1: SecretBytes? {
        guard case .ellipticCurve(let key) = implementation, let curve = publicKey.curve else { return nil }
        let parameters = DERWriter.element(
            DERTag.context(0),
            DERWriter.element(DERTag.objectIdentifier, curve.objectIdentifier)
        )
        return sec1(key, parameters)
    }

    /// With or without the parameters, which PKCS #8 already contains.
    func sec1(_ key: EllipticPrivateKey, _ parameters: [UInt8]) -> SecretBytes {
        let point = DERWriter.bitString(DERTag.bitString, publicKey.externalRepresentation)
        return DERWriter.secretElement(
            DERTag.sequence,
            SecretBytes(DERWriter.integer([1])),
            DERWriter.secretElement(DERTag.octetString, key.scalar),
            SecretBytes(parameters + DERWriter.element(DERTag.context(1), point))
        )
    }
}
