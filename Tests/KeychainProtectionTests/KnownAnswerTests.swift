// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// Known answers for every cryptographic step, computed from Documentation/Format.md with Python's hmac and hashlib.
struct KnownAnswerTests {
    private static let key = SymmetricKey(data: Array(UInt8(0)...31))

    private func tags() throws -> SearchTags {
        SearchTags(try LockedMemory(keyCapacity: 1).store(Self.key))
    }

    struct TagRow: CustomTestStringConvertible {
        let itemClass: ItemClass
        let name: AttributeName
        let value: AttributeValue
        let tag: String

        var testDescription: String { "\(itemClass.rawValue) \(name)" }
    }

    static let rows = [
        TagRow(
            itemClass: .genericPassword,
            name: "acct",
            value: .string("abc"),
            tag: "ffa8799ede64d7cb07825edd3e669501"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "acct",
            value: .data([0x61, 0x62, 0x63]),
            tag: "ffa8799ede64d7cb07825edd3e669501"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "acct",
            value: .number(.integer(42)),
            tag: "41e2ed1f8b4f0f18754a8c3b1dbb0e80"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .number(.integer(80)),
            tag: "446e296a7ebb23d3f28895d2e99d0441"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .string("0080"),
            tag: "446e296a7ebb23d3f28895d2e99d0441"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .string("http"),
            tag: "33b6331013680e0c6d516ae35500286c"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "crtr",
            value: .number(.real(0.5)),
            tag: "4299825d04fce63b43f79772677ae28a"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "cdat",
            value: .date(Timestamp(secondsSinceReferenceDate: 1.5)),
            tag: "cbe42a8547aa2e9c503438a81fd24479"
        ),
    ]

    @Test("a search tag is HMAC-SHA-256 over class, attribute and comparison form", arguments: rows)
    func searchTag(_ row: TagRow) throws {
        let column = try #require(ItemSchema.of(row.itemClass)[row.name])
        #expect(try tags().tag(row.itemClass, column, row.value).bytes.hexadecimal == row.tag)
    }

    private static let attributes: Attributes = [
        "acct": .string("ada"), "svce": .data(Array("svc".utf8)), "agrp": .string("TEAM.app"),
        "sync": .number(.integer(0)), "labl": .string("not part of the key"),
    ]

    @Test("the primary-key tag covers every part and marks absent ones")
    func primaryKeyTag() throws {
        let tag = try tags().primaryKeyTag(.of(.genericPassword), Self.attributes)
        #expect(tag.bytes.hexadecimal == "d5f9685b02d6a04a487a56588c06587c")
    }

    @Test("the digest is keyed")
    func digest() throws {
        let secret = SecretBytes(Array("s3cret".utf8))
        let tags = try tags()
        let primaryKeyTag = tags.primaryKeyTag(.of(.genericPassword), Self.attributes)
        let digest = tags.digest(primaryKeyTag, secret: secret)
        #expect(digest.hexadecimal == "aaf1e003a9213090f02f8edf12bcb2876d64b1e3")
    }

    @Test("keys are derived by HKDF-SHA-256 with a label for each purpose")
    func derivation() {
        let derived = KeyDerivation.derive("keybag wrapping", from: Self.key)
        let bytes = derived.withUnsafeBytes { Array($0) }
        #expect(bytes.hexadecimal == "8e1e311fd4b25fa2f71cefd333be9daaf2e70fb920560bf91647cf225e3f399f")
    }

    @Test("a key for one of several purposes is that for the purpose alone")
    func severalDerivations() {
        let several = KeyDerivation.Several(from: Self.key)
        for purpose in ["keybag wrapping", "", "keybag wrapping class ak 1", "keybag wrapping"] {
            #expect(several.derive(purpose) == KeyDerivation.derive(purpose, from: Self.key))
        }
    }

    @Test("keys are wrapped as RFC 3394, section 4.6, says")
    func keyWrap() throws {
        let key = SymmetricKey(
            data: Array(hexadecimal: "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
        )
        let wrapped = try KeyWrap.wrap(key, under: Self.key)
        #expect(
            wrapped.hexadecimal == "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
        )
        #expect(KeyWrap.unwrap(wrapped[...], under: Self.key) == key)
        var altered = wrapped
        altered[7] ^= 1
        #expect(KeyWrap.unwrap(altered[...], under: Self.key) == nil)
    }

    @Test("metadata is encoded byte by byte as the format says")
    func metadata() throws {
        let accessControl = AccessControl(
            protection: .whenUnlocked,
            constraints: try #require(AccessConstraints([.userPresence]))
        )
        let attributes: Attributes = [
            "acct": .string("é"), "accc": .accessControl(accessControl), "port": .number(.integer(-2)),
        ]
        let encoded = MetadataCodec.encode(.init(attributes: attributes, hasSecret: true))
        let expected =
            "0201" + "0300" + "61636363" + "07" + "0a000000" + "0100000000000000" + "616b" + "61636374" + "01"
            + "02000000" + "c3a9" + "706f7274" + "03" + "08000000" + "feffffffffffffff"
        #expect(encoded.hexadecimal == expected)
        #expect(try MetadataCodec.decode(encoded).attributes == attributes)
    }

    @Test("an access control for the current biometry is encoded with what was enrolled")
    func enrolledSet() throws {
        var accessControl = AccessControl(
            protection: .afterFirstUnlock,
            constraints: try #require(AccessConstraints([.biometryCurrentSet]))
        )
        accessControl.enrolledSet = Bytes16(Array(UInt8(0)..<16))
        let attributes: Attributes = ["accc": .accessControl(accessControl)]
        let encoded = MetadataCodec.encode(.init(attributes: attributes, hasSecret: false))
        let expected =
            "0200" + "0100" + "61636363" + "07" + "1a000000" + "0800000000000000" + "000102030405060708090a0b0c0d0e0f"
            + "636b"
        #expect(encoded.hexadecimal == expected)
    }

    @Test("metadata that is cut short or altered in shape is refused")
    func malformedMetadata() throws {
        let encoded = MetadataCodec.encode(.init(attributes: Self.attributes, hasSecret: false))
        for count in 0..<encoded.count {
            #expect(throws: ProtectionError.damagedRow(.encoding)) {
                try MetadataCodec.decode(Array(encoded.prefix(count)))
            }
        }
        #expect(throws: ProtectionError.damagedRow(.encoding)) { try MetadataCodec.decode(encoded + [0]) }
    }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    init(hexadecimal text: String) {
        let digits = [Character](text)
        self = stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
