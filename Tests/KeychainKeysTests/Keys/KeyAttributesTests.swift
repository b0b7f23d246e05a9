// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainKeys

/// The attributes of Semantics, "Attributes of a key".
struct KeyAttributesTests {
    private static let common: [String: Bool] = [
        "perm": true, "modi": true, "extr": true, "priv": true, "sens": false, "asen": false, "next": false,
        "snrc": false,
        "vyrc": false,
    ]

    /// Checks the attributes of both halves of a key.
    private func expect(
        _ key: PrivateKey,
        type: String,
        _ flags: [String: Bool],
        publicHalf publicFlags: [String: Bool]
    ) {
        let bits = PropertyValue.number(.integer(Int64(key.sizeInBits)))
        let rest: [String: PropertyValue] = [
            "type": .string(type), "bsiz": bits, "esiz": bits, "klbl": .data(SecretBytes(key.publicKey.hash)),
        ]
        func all(_ flags: [String: Bool], keyClass: String) -> [String: PropertyValue] {
            Self.common.merging(flags) { $1 }.mapValues { PropertyValue.boolean($0) }
                .merging(rest) { $1 }.merging(["kcls": .string(keyClass)]) { $1 }
        }
        #expect(KeyAttributes.of(key) == all(flags, keyClass: "1"))
        #expect(KeyAttributes.of(key.publicKey) == all(publicFlags, keyClass: "0"))
    }

    @Test("keys of curves", arguments: [256, 384, 521])
    func curves(_ size: Int) throws {
        expect(
            try #require(SampleKeys.curves.first { $0.sizeInBits == size }),
            type: "73",
            ["encr": false, "decr": true, "sign": true, "vrfy": false, "wrap": false, "unwp": true, "drve": true],
            publicHalf: [
                "encr": true, "decr": false, "sign": false, "vrfy": true, "wrap": true, "unwp": false, "drve": false,
            ]
        )
    }

    @Test("RSA keys")
    func rsa() {
        #expect(SampleKeys.rsa2048.sizeInBits == 2048)
        expect(
            SampleKeys.rsa2048,
            type: "42",
            ["encr": false, "decr": true, "sign": true, "vrfy": false, "wrap": false, "unwp": true, "drve": false],
            publicHalf: [
                "encr": true, "decr": true, "sign": false, "vrfy": true, "wrap": true, "unwp": false, "drve": false,
            ]
        )
    }

    @Test("the label is the SHA-1 digest of the public key's bytes")
    func label() throws {
        let own = SampleKeys.rsa2048.publicKey
        let expected = try Tool.output(
            "openssl",
            ["dgst", "-sha1", "-binary", "key"],
            files: ["key": own.externalRepresentation]
        )
        #expect(own.hash == expected)
    }
}
