// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainKeys

/// The DER form of ECDSA signatures: one encoding for each signature.
struct SignatureEncodingTests {
    private func raw(_ der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBytes { ECDSASignature($0, as: .x962, on: .p256)?.raw }
    }

    private func padded(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        [r, s].flatMap { Array(repeating: 0, count: 32 - $0.count) + $0 }
    }

    @Test("leading zeros and high bits survive both ways")
    func roundTrip() {
        let high = Array(repeating: 0xFF as UInt8, count: 32)
        for (r, s) in [([1], [0x7F]), ([0x80], [0x7F, 0xFF]), (high, high), ([0x01, 0x00], Array(high.dropLast()))] {
            let raw = padded(r, s)
            #expect(self.raw(ECDSASignature(raw: raw).bytes(.x962)) == raw)
        }
        #expect(ECDSASignature(raw: padded([0x80], [0x7F])).bytes(.x962) == [0x30, 7, 2, 2, 0, 0x80, 2, 1, 0x7F])
    }

    @Test(
        "other encodings of the same numbers, and what is none, are no signatures",
        arguments: [
            [0x30, 6, 2, 1, 1, 2, 1, 1, 0], [0x30, 7, 2, 1, 1, 2, 1, 1, 0], [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1],
            [0x30, 7, 2, 2, 0, 1, 2, 1, 1], [0x30, 6, 2, 1, 0x81, 2, 1, 1], [0x30, 5, 2, 0, 2, 1, 1],
            [0x30, 3, 2, 1, 1], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0], [0x30], [],
            [0x30, 0x84, 0, 0, 0, 6, 2, 1, 1, 2, 1, 1], [0x30, 0xFF], [0x30, 6, 2, 1, 1, 2, 2, 1],
        ] as [[UInt8]]
    )
    func malformed(_ der: [UInt8]) {
        #expect(raw(der) == nil)
    }

    @Test("numbers that are longer than the curve's are no signature")
    func long() {
        let long = DERWriter.integer([1] + Array(repeating: 0 as UInt8, count: 32))
        #expect(raw(DERWriter.element(0x30, long, [2, 1, 1])) == nil)
    }
}
