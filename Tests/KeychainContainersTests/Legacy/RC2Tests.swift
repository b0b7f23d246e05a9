// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainContainers

/// The examples of RFC 2268, section 5.
struct RC2Tests {
    @Test(
        "a block is decrypted as the standard says",
        arguments: [
            ("0000000000000000", 63, 0x0000_0000_0000_0000, 0xEBB7_73F9_9327_8EFF),
            ("ffffffffffffffff", 64, 0xFFFF_FFFF_FFFF_FFFF, 0x278B_27E4_2E2F_0D49),
            ("3000000000000000", 64, 0x1000_0000_0000_0001, 0x3064_9EDF_9BE7_D2C2),
            ("88", 64, 0, 0x61A8_A244_ADAC_CCF0),
            ("88bca90e90875a", 64, 0, 0x6CCF_4308_974C_267F),
            ("88bca90e90875a7f0f79c384627bafb2", 64, 0, 0x1A80_7D27_2BBE_5DB1),
            ("88bca90e90875a7f0f79c384627bafb2", 128, 0, 0x2269_552A_B0F8_5CA6),
            ("88bca90e90875a7f0f79c384627bafb216f80a6f85920584c42fceb0be255daf1e", 129, 0, 0x5B78_D3A4_3DFF_F1F1),
        ] as [(String, Int, UInt64, UInt64)]
    )
    func example(key: String, bits: Int, plain: UInt64, encrypted: UInt64) throws {
        #expect(RC2(key: try Hex.bytes(key), effectiveBits: bits).decrypt(encrypted) == plain)
    }
}
