// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainControl

/// Base 32 (RFC 4648).
struct Base32Tests {
    @Test(
        "the vectors of RFC 4648, section 10, with padding and without",
        arguments: [
            ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
        ]
    )
    func vectors(_ text: String, _ encoded: String) {
        #expect(Base32.decoded(encoded) == Array(text.utf8))
        #expect(Base32.decoded(encoded.lowercased().filter { $0 != "=" }) == Array(text.utf8))
    }

    @Test("other characters are none of it", arguments: ["M1", "MZX=6", "M Y", "é", "0"])
    func invalid(_ text: String) { #expect(Base32.decoded(text) == nil) }
}
