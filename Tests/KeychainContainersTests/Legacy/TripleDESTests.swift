// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainContainers

/// Published examples of DES and of three of them.
struct TripleDESTests {
    @Test(
        "a block is encrypted and decrypted as the example of SP 800-67, appendix B.1, says",
        arguments: zip(
            ["The qufc", "k brown ", "fox jump"],
            [0xA826_FD8C_E53B_855F, 0xCCE2_1C81_1225_6FE6, 0x68D5_C05D_D9B6_B900] as [UInt64]
        )
    )
    func threeKeys(_ plain: String, _ encrypted: UInt64) throws {
        let cipher = TripleDES(key: try Hex.bytes("0123456789abcdef23456789abcdef01456789abcdef0123"))
        let block: UInt64 = plain.utf8.reduce(0) { $0 << 8 | UInt64($1) }
        #expect(cipher.decrypt(encrypted) == block)
        #expect(cipher.encrypt(block) == encrypted)
    }

    @Test(
        "three equal keys make DES, as the examples of FIPS 81 have it",
        arguments: zip(
            ["Now is t", "he time ", "for all "],
            [0x3FA4_0E8A_984D_4815, 0x6A27_1787_AB88_83F9, 0x893D_51EC_4B56_3B53] as [UInt64]
        )
    )
    func equalKeys(_ plain: String, _ encrypted: UInt64) throws {
        let key = try Hex.bytes("0123456789abcdef")
        let expected: UInt64 = plain.utf8.reduce(0) { $0 << 8 | UInt64($1) }
        #expect(TripleDES(key: key + key + key).decrypt(encrypted) == expected)
        #expect(TripleDES(key: key + key).decrypt(encrypted) == expected)
        #expect(TripleDES(key: key + key).encrypt(expected) == encrypted)
    }
}
