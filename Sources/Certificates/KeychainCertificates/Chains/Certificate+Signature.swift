// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

extension Certificate {
    /// The part of a certificate that the issuer signs, and the signature.
    package struct Signature: Sendable, Hashable {
        /// The encoding of the body.
        package let signedBytes: [UInt8]
        /// The algorithm, in dotted decimal notation.
        package let algorithm: String
        /// The signature.
        package let bytes: [UInt8]
    }

    /// The signature, parsed again; `nil` for one that is not a whole number of bytes.
    package var signature: Signature? {
        guard let certificate = try? EncodedValue.parse(der[...], within: .certificate),
            case .constructed(let nodes) = certificate.content
        else {
            return nil
        }
        let fields = Array(nodes)
        guard fields.count == 3, let bits = try? ASN1BitString(derEncoded: fields[2]), bits.paddingBits == 0,
            case .constructed(let parts) = fields[1].content, let first = parts.first(where: { _ in true }),
            let algorithm = try? ASN1ObjectIdentifier(derEncoded: first)
        else { return nil }
        return Signature(
            signedBytes: Array(fields[0].encodedBytes),
            algorithm: "\(algorithm)",
            bytes: Array(bits.bytes)
        )
    }
}
