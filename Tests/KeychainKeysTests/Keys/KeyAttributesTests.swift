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

    private func expect(
        _ attributes: [String: PropertyValue],
        _ flags: [String: Bool],
        _ rest: [String: PropertyValue]
    ) {
        let all = Self.common.merging(flags) { $1 }.mapValues { PropertyValue.boolean($0) }.merging(rest) { $1 }
        #expect(attributes == all)
    }

    @Test("keys of curves", arguments: [256, 384, 521])
    func curves(_ size: Int) throws {
        let key = try #require(SampleKeys.curves.first { $0.sizeInBits == size })
        let bits = PropertyValue.number(.integer(Int64(size)))
        let rest: [String: PropertyValue] = [
            "type": .string("73"), "bsiz": bits, "esiz": bits, "klbl": .data(SecretBytes(key.publicKey.hash)),
        ]
        expect(
            KeyAttributes.of(key),
            ["encr": false, "decr": true, "sign": true, "vrfy": false, "wrap": false, "unwp": true, "drve": true],
            rest.merging(["kcls": .string("1")]) { $1 }
        )
        expect(
            KeyAttributes.of(key.publicKey),
            ["encr": true, "decr": false, "sign": false, "vrfy": true, "wrap": true, "unwp": false, "drve": false],
            rest.merging(["kcls": .string("0")]) { $1 }
        )
    }

    @Test("RSA keys")
    func rsa() {
        let key = SampleKeys.rsa2048
        let rest: [String: PropertyValue] = [
            "type": .string("42"), "bsiz": .number(.integer(2048)), "esiz": .number(.integer(2048)),
            "klbl": .data(SecretBytes(key.publicKey.hash)),
        ]
        expect(
            KeyAttributes.of(key),
            ["encr": false, "decr": true, "sign": true, "vrfy": false, "wrap": false, "unwp": true, "drve": false],
            rest.merging(["kcls": .string("1")]) { $1 }
        )
        expect(
            KeyAttributes.of(key.publicKey),
            ["encr": true, "decr": true, "sign": false, "vrfy": true, "wrap": true, "unwp": false, "drve": false],
            rest.merging(["kcls": .string("0")]) { $1 }
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
