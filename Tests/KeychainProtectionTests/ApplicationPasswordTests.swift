// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import Testing

@testable import KeychainProtection

struct ApplicationPasswordTests {
    private let store: TestStore
    private let device: Sealer
    private let key: PasswordKey
    private let row: StoredRow
    private let metadata: OpenedMetadata

    init() throws {
        store = try TestStore()
        device = try store.device()
        key = try PasswordKey(new: "open sesame", .testing)
        row = try device.seal(.sample(flags: .applicationPassword), key)
        metadata = try device.openMetadata(of: row)
    }

    @Test("the secret opens by the password, by way of the header that lies with it")
    func opens() throws {
        let header = try #require(try device.passwordHeader(of: row, metadata))
        #expect(header == key.header)
        let again = try #require(try PasswordKey("open sesame", header))
        #expect(try device.openSecret(of: row, metadata, passwordKey: again) == "s3cret")
    }

    @Test("a wrong password is nil, whatever it is", arguments: ["", "open sesam", "open sesame\0", "Open Sesame"])
    func wrongPassword(_ password: String) throws {
        let header = try #require(try device.passwordHeader(of: row, metadata))
        #expect(try PasswordKey(SecretBytes(Array(password.utf8)), header) == nil)
    }

    @Test("without the key of its own header an item neither opens nor is sealed")
    func needsKey() throws {
        let other = try PasswordKey(new: "open sesame", .testing)
        #expect(throws: ProtectionError.passwordMissing) { try device.openSecret(of: row, metadata) }
        #expect(throws: ProtectionError.passwordMissing) {
            try device.openSecret(of: row, metadata, passwordKey: other)
        }
        #expect(throws: ProtectionError.passwordMissing) { try device.seal(.sample(flags: .applicationPassword)) }
    }

    @Test(
        "the key of the secret depends on the password: a key that only says it belongs to the header does not open it"
    )
    func dependsOnPassword() throws {
        let forged = PasswordKey(header: key.header, key: .random())
        #expect(throws: ProtectionError.damagedRow(.secret)) {
            try device.openSecret(of: row, metadata, passwordKey: forged)
        }
    }

    @Test("neither the header nor anything else to guess at is there without the key of the class")
    func headerIsBehindTheClassKey() throws {
        let store = try TestStore.withPasscode()
        let row = try store.device().seal(.sample(.whenUnlocked, flags: .applicationPassword), key)
        let metadata = try store.device().openMetadata(of: row)
        let locked = Sealer(try store.keybag())
        #expect(throws: ProtectionError.classUnavailable("ak")) { try locked.passwordHeader(of: row, metadata) }
        let bytes = row.metadata + row.secret
        for part in [key.header.salt, Array(key.header.encoded.suffix(16))] {
            #expect(Data(bytes).range(of: Data(part)) == nil)
        }
        #expect(try store.device().passwordHeader(of: row, metadata) == key.header)
    }

    @Test("the attributes say nothing about a secret under a password, so that nobody guesses at it past the password")
    func noDigest() throws {
        func digest(_ secret: SecretBytes?, _ flags: AccessControlFlags?) throws -> AttributeValue? {
            var item = Item.sample(secret: secret, flags: flags)
            _ = try device.seal(&item, tags: device.searchTags(), passwordKey: key)
            return item.attributes[.digest]
        }
        let guarded = try digest("1234", .applicationPassword)
        #expect(try guarded != nil && guarded == digest("1235", .applicationPassword))
        #expect(try guarded == digest(nil, .applicationPassword))
        #expect(try digest("1234", nil) != digest("1235", nil))
    }

    @Test("the password's key is scrypt's, the check code one that is derived from it")
    func knownAnswers() throws {
        let derived = try Scrypt.key(from: "secret", salt: Array(200..<216), .testing)
        #expect(derived.hexadecimal == "1785c9bbbec34e8ba842d9c0b2f354373dfc96f94652d4096fc6e251aa777f78")
        var header = Array(200..<216) + ScryptParameters.testing.encoded
        header += Array(hexadecimal: "f0220bd20f71dfbf45c86c25d68f38eb")
        var reader = ByteReader(header[...])
        let read = try #require(try PasswordHeader(&reader))
        #expect(try PasswordKey("secret", read)?.key == derived)
        #expect(try PasswordKey("Secret", read) == nil)
    }

    @Test("altered bytes are damage, not a wrong password, and are told before any password is tried")
    func altered() throws {
        for index in row.secret.indices {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var altered = row
                altered.secret[index] ^= mask
                #expect(throws: ProtectionError.damagedRow(.secret), "byte \(index)") {
                    try device.passwordHeader(of: altered, metadata)
                }
                #expect(throws: ProtectionError.damagedRow(.secret), "byte \(index)") {
                    try device.openSecret(of: altered, metadata, passwordKey: key)
                }
            }
        }
    }

    @Test("a header that asks for less work than is allowed is damage, and says so")
    func weakWork() throws {
        let strict = try OpenKeybag(store.bytes, rootKey: store.rootKey)
        #expect(throws: ProtectionError.damagedRow(.passwordWork)) {
            try Sealer(strict).passwordHeader(of: row, metadata)
        }
        #expect(throws: ProtectionError.damagedRow(.passwordWork)) {
            try Sealer(strict).openSecret(of: row, metadata, passwordKey: key)
        }
    }

    @Test("the layer of one item does not open in another, even with the same password")
    func swappedLayers() throws {
        let other = try device.seal(.sample(flags: .applicationPassword), key)
        let layer = try RowSecret(of: other, keys: device).sealed(needsPassword: true)
        var swapped = row
        swapped.secret = try RowSecret(of: row, keys: device).seal(layer)
        #expect(throws: ProtectionError.damagedRow(.secret)) {
            try device.openSecret(of: swapped, metadata, passwordKey: key)
        }
    }

    @Test("a secret that is cut short is damage")
    func truncated() {
        for count in row.secret.indices {
            var altered = row
            altered.secret = Array(row.secret.prefix(count))
            #expect(throws: ProtectionError.damagedRow(.secret), "\(count) bytes") {
                try device.openSecret(of: altered, metadata, passwordKey: key)
            }
        }
    }

    @Test("an item without a password has no header, and no use for a key")
    func withoutPassword() throws {
        let plain = try device.seal(.sample(flags: .userPresence), key)
        let opened = try device.openMetadata(of: plain)
        #expect(try device.passwordHeader(of: plain, opened) == nil)
        #expect(try device.openSecret(of: plain, opened) == "s3cret")
        #expect(try device.openSecret(of: plain, opened, passwordKey: key) == "s3cret")
    }

    @Test("resealed with the same key, the item opens by the same password, and no part of it is the same")
    func resealed() throws {
        let again = try device.seal(.sample(flags: .applicationPassword), key)
        for start in stride(from: 0, through: row.secret.count - 16, by: 1) {
            #expect(Data(again.secret).range(of: Data(row.secret[start..<start + 16])) == nil)
        }
        #expect(try device.secret(of: again, key) == "s3cret")
    }

    @Test("an item with a password and no secret has none")
    func noSecret() throws {
        let row = try device.seal(.sample(secret: nil, flags: .applicationPassword), key)
        #expect(try device.secret(of: row, key) == nil)
    }
}
