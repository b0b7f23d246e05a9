// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// What never shows a secret.
struct SecretBytesTests {
    private static let secret = "a secret of twenty-five b"

    @Test("a secret shows its length, never its bytes")
    func hidesBytes() {
        let bytes = SecretBytes(Array(Self.secret.utf8))
        let shown = ["\(bytes)", bytes.debugDescription, String(reflecting: bytes), String(describing: [bytes])]
        for text in shown { #expect(text.contains("25 bytes") && !text.contains("secret")) }
        var dumped = ""
        dump(PropertyValue.data(bytes), to: &dumped)
        #expect(!dumped.contains("115") && !dumped.contains("secret"))
    }

    @Test(
        "secrets compare by their bytes",
        arguments: [([], []), ([1], [1]), ([1, 2], [1, 2])] as [([UInt8], [UInt8])]
    )
    func compares(_ left: [UInt8], _ right: [UInt8]) {
        #expect(SecretBytes(left) == SecretBytes(right))
        #expect(SecretBytes(left) != SecretBytes(right + [0]))
    }
}
