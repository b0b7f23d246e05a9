// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A validated point on one of the curves.
enum EllipticPublicKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)

    var curve: Curve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        }
    }

    /// A point in the form 04 ‖ X ‖ Y (ANSI X9.63, SEC 1 section 2.3.3).
    init(point: UnsafeRawBufferPointer) throws(KeyError) {
        guard let curve = Curve(pointCount: point.count), point.first == 4 else {
            throw .malformed("an elliptic curve's public key is an uncompressed point")
        }
        do {
            switch curve {
            case .p256: self = .p256(try P256.Signing.PublicKey(x963Representation: point))
            case .p384: self = .p384(try P384.Signing.PublicKey(x963Representation: point))
            case .p521: self = .p521(try P521.Signing.PublicKey(x963Representation: point))
            }
        } catch {
            throw .malformed("the point does not lie on the curve")
        }
    }

    /// Whether r ‖ s is an ECDSA signature of a digest (FIPS 186-5).
    func isValid(_ signature: [UInt8], of digest: some Digest) -> Bool {
        switch self {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        }
    }
}
