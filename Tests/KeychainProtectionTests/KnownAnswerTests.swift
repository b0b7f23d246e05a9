// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// Known answers for every cryptographic step, computed from Documentation/Format.md with Python's hmac and hashlib.
struct KnownAnswerTests {
    private static let key = SymmetricKey(data: Array(UInt8(0)...31))

    private func tags() throws -> SearchTags {
        let indexKey = try LockedMemory(keyCapacity: 1).store(Self.key)
        return SearchTags(try SearchTagKey(indexKey, of: .counting(from: 32)))
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
            tag: "91d1e4125c586442b49b7f65e50e8cf3"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "acct",
            value: .data([0x61, 0x62, 0x63]),
            tag: "91d1e4125c586442b49b7f65e50e8cf3"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "acct",
            value: .number(.integer(42)),
            tag: "db82bc6c0d6c1583a4f65e08f72d4e9a"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .number(.integer(80)),
            tag: "36357b89789c4a769b2b0d7100382793"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .string("0080"),
            tag: "36357b89789c4a769b2b0d7100382793"
        ),
        TagRow(
            itemClass: .internetPassword,
            name: "port",
            value: .string("http"),
            tag: "c406e9c1dabda98b772a79cc13287891"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "crtr",
            value: .number(.real(0.5)),
            tag: "984a90fcfee332c5b7f8fe1ac52abfb2"
        ),
        TagRow(
            itemClass: .genericPassword,
            name: "cdat",
            value: .date(Timestamp(secondsSinceReferenceDate: 1.5)),
            tag: "8f74900766778c6deea90e30820c1a3c"
        ),
    ]

    @Test("a search tag is HMAC-SHA-256 over class, attribute and comparison form", arguments: rows)
    func searchTag(_ row: TagRow) throws {
        let column = try #require(ItemSchema.of(row.itemClass)[row.name])
        #expect(try tags().tag(in: row.itemClass, column: column, value: row.value).bytes.hexadecimal == row.tag)
    }

    private static let attributes: Attributes = [
        "acct": .string("ada"), "svce": .data(Array("svc".utf8)), "agrp": .string("TEAM.app"),
        "sync": .number(.integer(0)), "labl": .string("not part of the key"),
    ]

    @Test("the primary-key tag covers every part and marks absent ones")
    func primaryKeyTag() throws {
        let tag = try tags().primaryKeyTag(.of(.genericPassword), Self.attributes)
        #expect(tag.bytes.hexadecimal == "fe32f0835e4fcfc1e78e08e511027e55")
    }

    @Test("the digest is keyed")
    func digest() throws {
        let secret = SecretBytes(Array("s3cret".utf8))
        let tags = try tags()
        let primaryKeyTag = tags.primaryKeyTag(.of(.genericPassword), Self.attributes)
        let classKey = KeyDerivation(from: try LockedMemory(keyCapacity: 1).store(Self.key))
        let digest = ItemDigest.make(primaryKeyTag, secret: secret, under: classKey, of: .counting(from: 32))
        #expect(digest.hexadecimal == "118d2071f04f00587ab0d8fbe9a655bdd364415f")
    }

    @Test("keys are derived by HKDF-Expand with a label for each purpose")
    func derivation() {
        let context = Bytes16.counting(from: 32).bytes
        let derived = KeyDerivation.derive("keybag authentication", from: Self.key, context: context)
        #expect(derived.hexadecimal == "b4cec18328272750f0211d0c1b212158406723d5be8611b21d34545a28c0c883")
        let expanded = HKDF<SHA256>.expand(
            pseudoRandomKey: Self.key,
            info: KeyDerivation.information("keybag authentication", context),
            outputByteCount: 32
        )
        #expect(derived == expanded)
    }

    @Test(
        "codes are those of RFC 4231, section 4",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
        ] as [([UInt8], [UInt8], String)]
    )
    func keyedHash(key: [UInt8], message: [UInt8], code: String) {
        var hash = key.withUnsafeBytes { KeyedHash($0) }
        hash.update(Array(message.prefix(7)))
        var other = hash
        other.update([1])
        hash.update(Array(message.dropFirst(7)))
        let (found, foundOther) = (Array(hash.finalize()), Array(other.finalize()))
        #expect(found.hexadecimal == code)
        #expect(foundOther.hexadecimal != code)
    }

    @Test("codes are those of the library, whatever the lengths", arguments: [0, 1, 16, 32, 63, 64])
    func keyedHashOfLibrary(_ keyByteCount: Int) {
        let key = [UInt8].random(count: keyByteCount)
        for messageByteCount in [0, 1, 55, 56, 64, 1_000] {
            let message = [UInt8].random(count: messageByteCount)
            var hash = key.withUnsafeBytes { KeyedHash($0) }
            hash.update(message)
            let expected = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            let found = Array(hash.finalize())
            #expect(found == Array(expected))
        }
    }

    @Test("each part of a version of a row has a key of its own")
    func rowParts() throws {
        let row = StoredRow(
            itemClass: .genericPassword,
            identifier: .counting(from: 48),
            protection: "ak",
            isTombstone: false,
            keyGeneration: 1,
            version: .counting(from: 64),
            primaryKeyTag: .counting(from: 80),
            tags: [AttributeTag(name: "acct", tag: .counting(from: 96))]
        )
        let keys = try BackupKeys(
            for: .counting(from: 32),
            keys: StoreKeys(BackupKeys.purposes.map { ($0, Self.key) }),
            floor: .standard
        )
        for sealed in Self.sealed {
            var sealedRow = row
            sealedRow.former = sealed.former.map { Array(hexadecimal: $0) }
            sealedRow.metadata = Array(hexadecimal: sealed.metadata)
            #expect(try RowPart(.metadata, of: sealedRow, keys: keys).open { Array($0) } == Array("metadata".utf8))
            guard let secret = sealed.secret else { continue }
            sealedRow.secret = Array(hexadecimal: secret)
            #expect(try RowSecret(of: sealedRow, keys: keys).open(needsPassword: false, nil) == "s3cret")
        }
    }

    /// Sealed by Python's cryptography, as Documentation/Format.md says, with nonces of zeros: a row of this format,
    /// one of the format before, and one of that which is bound to the tag of its digest, too.
    private static let sealed: [(former: String?, metadata: String, secret: String?)] = [
        (
            nil, "000000000000000000000000a70523b90afcba65bcce91d82bfdec323124bfd68131cb2f",
            "000000000000000000000000e8edea8b6e69168bb3d41c596e828cc47c124da0deb8cc5353543f2f8973bbd0"
                + "58374b802cffd226301823575c47d768"
        ),
        (
            "", "000000000000000000000000f285715e2d019bc393cf8017b1aecfd8b181bd2b4076dfd9",
            "000000000000000000000000c66d631ec0eb8700f225fd7cc4dc792d71cb738da545"
        ),
        (
            "000000000000000000000000800e39f6c67cee014a2792dc4fb919b97def1b2cba907c983e5d9507730f030b",
            "000000000000000000000000f285715e2d019bc3e8b111eaf87ffc44823c9ac4b732e99a", nil
        ),
    ]

    @Test("a key for one of several purposes is that for the purpose alone")
    func severalDerivations() {
        let several = KeyDerivation(from: Self.key)
        for purpose in ["keybag wrapping", "", "keybag wrapping class ak 1", "keybag wrapping"] {
            #expect(several.derive(purpose) == KeyDerivation.derive(purpose, from: Self.key))
            #expect(
                several.derive(purpose, context: [1]) == KeyDerivation.derive(purpose, from: Self.key, context: [1])
            )
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
            "0301" + "0300" + "61636363" + "07" + "0a000000" + "0100000000000000" + "616b" + "61636374" + "01"
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
            "0300" + "0100" + "61636363" + "07" + "1a000000" + "0800000000000000" + "000102030405060708090a0b0c0d0e0f"
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

extension MetadataCodec {
    static func decode(_ bytes: [UInt8]) throws -> Metadata {
        try bytes.withUnsafeBytes { try decode($0) }
    }
}

extension Bytes16 {
    /// Sixteen bytes, each one more than the one before.
    static func counting(from first: UInt8) -> Bytes16 { Bytes16((first..<first + 16).map(\.self)) ?? .zero }
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
