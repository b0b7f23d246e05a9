// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing

@testable import KeychainKeys

/// SHA-224 against the answers of NIST's examples, and of OpenSSL at the edges of a block.
struct SHA224Tests {
    @Test(
        "messages have their known digests",
        arguments: [
            ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
            ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
            ),
        ]
    )
    func examples(_ message: String, _ digest: String) {
        #expect(Array(SHA224.hash(data: Data(message.utf8))).hex == digest)
    }

    @Test("a thousand times a thousand letters, in pieces of an odd length")
    func long() {
        var function = SHA224()
        let piece = Array(repeating: UInt8(ascii: "a"), count: 9_999)
        for _ in 0..<100 { function.update(data: piece) }
        function.update(data: Array(repeating: UInt8(ascii: "a"), count: 100))
        #expect(Array(function.finalize()).hex == "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67")
    }

    @Test(
        "lengths around the end of a block",
        arguments: [
            (55, "8991dfba74284e04dc7581c7c3e4068ff6cb7a63733361429834bb56"),
            (56, "2b2cd637c16ad7290bb067ad7d8fd04e204fa43a84366afc7130f4ef"),
            (63, "049e8dd7eab3378ce9f823bfb569e5b270235d4b7f9623606971998f"),
            (64, "c37b88a3522dbf7ac30d1c68ea397ac11d4773571aed01ddab73531e"),
            (65, "114b5fd665736a96585c5d5837d35250aed73c725252cbf7f8b121f6"),
            (119, "762f18c0df65c3d0ea64126c8a6e51db4425e76d4d969ed0f83899be"),
            (120, "d022deb78772a77e8b91d68f90ca1f636e8fe047ae219434ced18eef"),
            (128, "67d88da33fd632d8742424791dface672ff59d597fe38b3f2a998386"),
        ]
    )
    func edges(_ count: Int, _ digest: String) {
        let message = (0..<count).map { UInt8($0) }
        #expect(Array(SHA224.hash(data: message)).hex == digest)
        var pieces = SHA224()
        for byte in message { pieces.update(data: [byte]) }
        #expect(Array(pieces.finalize()).hex == digest)
    }
}
