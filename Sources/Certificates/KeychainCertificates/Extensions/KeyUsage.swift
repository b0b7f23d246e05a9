// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The permitted uses of a key (RFC 5280, section 4.2.1.3), by bit number.
struct KeyUsage: OptionSet, Sendable {
    let rawValue: UInt16

    static let digitalSignature = KeyUsage(bit: 0)
    static let contentCommitment = KeyUsage(bit: 1)
    static let keyEncipherment = KeyUsage(bit: 2)
    static let keyAgreement = KeyUsage(bit: 4)
    static let certificateSigning = KeyUsage(bit: 5)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(bit: Int) { rawValue = 1 << bit }

    /// The bits of the extension.
    init(extensionValue: ArraySlice<UInt8>) throws(CertificateError) {
        let value = try CertificateFieldReader.parse(extensionValue, "the key usage")
        guard let bits = try? ASN1BitString(derEncoded: value) else {
            throw CertificateError("the key usage is not a string of bits")
        }
        rawValue = bits.bytes.prefix(2).enumerated().reduce(0) { bits, octet in
            (0..<8).reduce(bits) { bits, bit in
                octet.element & 0x80 >> bit == 0 ? bits : bits | 1 << (octet.offset * 8 + bit)
            }
        }
    }
}
