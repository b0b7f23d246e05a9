// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension PrivateKey {
    /// A key from the `PrivateKeyInfo` or `OneAsymmetricKey` of PKCS #8 (RFC 5958) in DER.
    ///
    /// Attributes are ignored. A public key in the second version, or in the inner key, must match the private key.
    ///
    /// - Throws: ``KeyError/malformed(_:)`` for another encoding or kind of key.
    package init(pkcs8 der: SecretBytes) throws(KeyError) {
        self = try StackMemory.wiped(.privateKey) { () throws(KeyError) in
            try der.withUnsafeBytes { (der) throws(KeyError) in try PrivateKey(pkcs8: der) }
        }
    }

    private init(pkcs8 der: UnsafeRawBufferPointer) throws(KeyError) {
        var outer = DERReader(der)
        var reader = try outer.sequence()
        try outer.end()
        let version = try reader.version(0...1)
        let algorithm = try AlgorithmIdentifier(&reader)
        let inner = try reader.element(DERTag.octetString)
        if reader.tag == DERTag.context(0) { _ = try reader.element(DERTag.context(0)) }
        switch algorithm {
        case .rsa: self.init(try RSAPrivateKey(pkcs1: inner))
        case .ellipticCurve(let curve): try self.init(sec1: inner, curve)
        }
        if version == 1, reader.tag == DERTag.primitiveContext(1) {
            try check(point: try reader.bitString(DERTag.primitiveContext(1)))
        }
        try reader.end()
    }

    /// The key as a `PrivateKeyInfo` in DER, of the first version; `nil` for a key without accessible bytes.
    package var pkcs8: SecretBytes? {
        let inner: SecretBytes
        switch implementation {
        case .ellipticCurve(let key): inner = sec1(key, [])
        case .rsa(let key): inner = key.pkcs1
        case .remote, .deferred: return nil
        }
        return DERWriter.secretElement(
            DERTag.sequence,
            SecretBytes(DERWriter.integer([]) + publicKey.algorithmIdentifier.der),
            DERWriter.secretElement(DERTag.octetString, inner)
        )
    }
}
