// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainKeys

/// DER is read strictly.
struct DERReaderTests {
    private func integer(_ der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBytes { bytes in
            var reader = DERReader(bytes)
            guard let content = try? reader.integer(), (try? reader.end()) != nil else { return nil }
            return Array(content)
        }
    }

    @Test("integers come without their leading zero")
    func integers() {
        #expect(integer([2, 1, 0]) == [])
        #expect(integer([2, 1, 0x7F]) == [0x7F])
        #expect(integer([2, 2, 0, 0x80]) == [0x80])
        #expect(integer([2, 0x81, 0x80, 1] + Array(repeating: 0, count: 127))?.count == 128)
    }

    @Test(
        "other encodings are refused",
        arguments: [
            [2, 0], [2, 1, 0x80], [2, 2, 0, 0x7F], [2, 2, 0, 0], [2, 0x81, 1, 1], [2, 0x82, 0, 0x80, 1],
            [2, 0x80, 1, 0, 0],
            [2, 1], [2], [], [2, 1, 1, 1], [3, 1, 1], [2, 0x83, 0xFF, 0xFF, 0xFF, 1],
        ] as [[UInt8]]
    )
    func refused(_ der: [UInt8]) {
        #expect(integer(der) == nil)
    }

    @Test("what is written is read", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
    func lengths(_ count: Int) throws {
        let content = Array(repeating: 5 as UInt8, count: count)
        let der = DERWriter.element(4, content)
        let read = try der.withBytes { (bytes) throws(KeyError) in
            var reader = DERReader(bytes)
            let content = Array(try reader.element(4))
            try reader.end()
            return content
        }
        #expect(read == content)
    }
}
