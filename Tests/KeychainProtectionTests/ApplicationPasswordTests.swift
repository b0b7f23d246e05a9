// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

struct ApplicationPasswordTests {
    private let store: TestStore
    private let device: Device
    private let key: PasswordKey
    private let row: StoredRow
    private let metadata: OpenedMetadata

    init() throws {
        store = try TestStore()
        device = try store.device()
        key = try device.keybag.newPasswordKey("open sesame", .testing)
        row = try device.seal(.sample(flags: .applicationPassword), key)
        metadata = try device.openMetadata(of: row, tags: device.searchTags())
    }

    @Test("the secret opens by the password, by way of the header that lies with it")
    func opens() throws {
        let header = try #require(try device.passwordHeader(of: row, metadata))
        #expect(header == key.header)
        let again = try #require(try device.keybag.passwordKey("open sesame", header))
        #expect(try device.openSecret(of: row, metadata, passwordKey: again) == "s3cret")
    }

    @Test("a wrong password is nil, whatever it is", arguments: ["", "open sesam", "open sesame\0", "Open Sesame"])
    func wrongPassword(_ password: String) throws {
        let header = try #require(try device.passwordHeader(of: row, metadata))
        #expect(try device.keybag.passwordKey(SecretBytes(Array(password.utf8)), header) == nil)
    }

    @Test("without the key of its own header an item neither opens nor is sealed")
    func needsKey() throws {
        let other = try device.keybag.newPasswordKey("open sesame", .testing)
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

    @Test("the password is worth nothing with another store's keys")
    func dependsOnStore() throws {
        let header = try #require(try device.passwordHeader(of: row, metadata))
        #expect(try TestStore().keybag().passwordKey("open sesame", header) == nil)
    }

    @Test("the password's key is scrypt and HMAC under a key of the store; the secret's is HKDF with it as salt")
    func knownAnswers() throws {
        let indexKey = try LockedMemory(keyCapacity: 1).store(SymmetricKey(data: Array(UInt8(0)..<32)))
        let derived = try Scrypt.key(from: "secret", salt: Array(200..<216), .testing)
        let authenticating = indexKey.withKey { KeyDerivation.derive("application password", from: $0) }
        let key = derived.withUnsafeBytes { Authentication.code($0, under: authenticating) }
        #expect(key.hexadecimal == "3cd812b1afaaf7b2a9af6b0ba5fbf1dc749656cdcf165755741d7619c2d7aa30")
        let (header, _) = try PasswordHeader.make(.testing) { (_) throws(ProtectionError) in key }
        #expect(Array(header.encoded.suffix(16)).hexadecimal == "2a3981189cfa36e4ae0c7c11312ce86d")
        let sealing = KeyDerivation.derive(
            "secret sealing with password",
            from: SymmetricKey(data: Array(UInt8(0)..<32)),
            and: SymmetricKey(data: Array(UInt8(32)..<64))
        )
        #expect(sealing.hexadecimal == "6ce974544d45869e415b51aeac1b37f8b6e85249f1de00eb204964e715c9798f")
    }

    @Test("an altered header is damage, not a wrong password, and is told before any password is tried")
    func alteredHeader() throws {
        for index in 0..<PasswordHeader.byteCount + KeyWrap.wrappedByteCount {
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

    @Test("the header of another item is damage, even with the same password")
    func swappedHeader() throws {
        let otherKey = try device.keybag.newPasswordKey("open sesame", .testing)
        let other = try device.seal(.sample(flags: .applicationPassword), otherKey)
        var altered = row
        let header = 0..<PasswordHeader.byteCount
        altered.secret.replaceSubrange(header, with: other.secret[header])
        #expect(throws: ProtectionError.damagedRow(.secret)) { try device.passwordHeader(of: altered, metadata) }
        altered.secret = Array(row.secret.dropFirst(PasswordHeader.byteCount))
        #expect(throws: ProtectionError.damagedRow(.secret)) { try device.passwordHeader(of: altered, metadata) }
    }

    @Test("an item without a password has no header, and no use for a key")
    func withoutPassword() throws {
        let plain = try device.seal(.sample(flags: .userPresence), key)
        let opened = try device.openMetadata(of: plain, tags: device.searchTags())
        #expect(try device.passwordHeader(of: plain, opened) == nil)
        #expect(try device.openSecret(of: plain, opened) == "s3cret")
        #expect(try device.openSecret(of: plain, opened, passwordKey: key) == "s3cret")
    }

    @Test("sealed anew with the same key, the item opens by the same password, and no part of it is the same")
    func sealedAnew() throws {
        let again = try device.seal(.sample(flags: .applicationPassword), key)
        #expect(again.secret.prefix(PasswordHeader.byteCount) == row.secret.prefix(PasswordHeader.byteCount))
        #expect(again.secret.dropFirst(PasswordHeader.byteCount) != row.secret.dropFirst(PasswordHeader.byteCount))
        #expect(try device.secret(of: again, key) == "s3cret")
    }

    @Test("an item with a password and no secret has none")
    func noSecret() throws {
        let row = try device.seal(.sample(secret: nil, flags: .applicationPassword), key)
        #expect(try device.secret(of: row, key) == nil)
    }
}
