// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

/// An RSA public key: the contents of its PKCS #1 encoding.
struct RSAPublicKey: Sendable {
    /// The modulus and the public exponent, without leading zeros.
    let modulus: [UInt8]
    let exponent: UInt64

    let signing: _RSA.Signing.PublicKey

    /// An `RSAPublicKey` (RFC 8017, section A.1.1).
    init(pkcs1 der: UnsafeRawBufferPointer) throws(KeyError) {
        var outer = DERReader(der)
        var reader = try outer.sequence()
        try outer.end()
        let (modulus, exponent) = (try reader.integer(), try reader.integer())
        try reader.end()
        guard exponent.count <= 8, modulus.count <= 1024 else {
            throw .malformed("the key is larger than RSA keys are")
        }
        self.modulus = Array(modulus)
        self.exponent = exponent.reduce(0) { $0 << 8 | UInt64($1) }
        // The library rejects moduli and exponents that are too small, too large or even.
        do {
            signing = try _RSA.Signing.PublicKey(unsafeDERRepresentation: der)
        } catch {
            throw .malformed("the modulus or the exponent cannot be those of an RSA key")
        }
    }

    /// The size of the modulus in bits.
    var sizeInBits: Int { modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0) }

    /// The length of the modulus in bytes.
    var count: Int { modulus.count }

    var pkcs1: [UInt8] {
        let exponent = withUnsafeBytes(of: exponent.bigEndian) { DERWriter.integer($0) }
        return DERWriter.element(DERTag.sequence, DERWriter.integer(modulus), exponent)
    }

    /// RSAEP and RSAVP1 (RFC 8017, sections 5.1.1 and 5.2.2): the input to the power of the public exponent.
    ///
    /// - Parameter input: a number below the modulus, with its length.
    /// - Returns: The result, with the length of the modulus.
    /// - Throws: ``KeyError/parameter(_:)`` for another input.
    func raw(_ input: UnsafeRawBufferPointer) throws(KeyError) -> [UInt8] {
        guard let result = ModularExponentiation(modulus: modulus).power(input, exponent) else {
            throw .parameter("the input does not lie below the modulus")
        }
        return result
    }
}
