// SPDX-License-Identifier: Apache-2.0

/// The type of key in a `SubjectPublicKeyInfo` or `PrivateKeyInfo`: the `AlgorithmIdentifier` of RFC 5280, with the
/// values of RFC 3279 (RSA) and RFC 5480 (named curves).
enum AlgorithmIdentifier: Sendable, Hashable {
    case rsa
    case ellipticCurve(Curve)

    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    /// Parses an identifier.
    init(_ reader: inout DERReader) throws(KeyError) {
        var reader = try reader.sequence()
        let algorithm = try reader.element(DERTag.objectIdentifier)
        if algorithm.elementsEqual(Self.rsaEncryption) {
            // Some software omits the NULL (RFC 8017, section A.1, requires readers to accept that).
            if reader.tag != nil, try !reader.element(DERTag.null).isEmpty { throw .badEncoding }
            self = .rsa
        } else if algorithm.elementsEqual(Self.ecPublicKey) {
            guard let curve = Curve(objectIdentifier: try reader.element(DERTag.objectIdentifier)) else {
                throw .malformed("the curve is not one of P-256, P-384 and P-521")
            }
            self = .ellipticCurve(curve)
        } else {
            throw .malformed("the key is neither of RSA nor of an elliptic curve")
        }
        try reader.end()
    }

    var der: [UInt8] {
        switch self {
        case .rsa:
            DERWriter.element(
                DERTag.sequence,
                DERWriter.element(DERTag.objectIdentifier, Self.rsaEncryption),
                DERWriter.element(DERTag.null)
            )
        case .ellipticCurve(let curve):
            DERWriter.element(
                DERTag.sequence,
                DERWriter.element(DERTag.objectIdentifier, Self.ecPublicKey),
                DERWriter.element(DERTag.objectIdentifier, curve.objectIdentifier)
            )
        }
    }
}
