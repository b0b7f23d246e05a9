// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

struct HexadecimalTests {
    @Test("every byte is two digits in lower case, and is read in any case")
    func bytes() {
        let all = (UInt8.min ... .max).map(\.self)
        #expect(all.prefix(17).hexadecimal == "000102030405060708090a0b0c0d0e0f10")
        #expect([UInt8](hexadecimal: all.hexadecimal) == all)
        #expect([UInt8](hexadecimal: all.hexadecimal.uppercased()) == all)
        #expect([UInt8](hexadecimal: "") == [])
    }

    @Test("any other text is none", arguments: ["0", "000", "0g", " 00", "0x00", "０0", "+1", "é0"])
    func otherText(_ text: String) { #expect([UInt8](hexadecimal: text) == nil) }
}
