// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// Rows and lock states: what is unavailable, and what is damaged.
struct SealerTests {
    @Test("a row whose keys are not there now is unavailable, not damaged", arguments: Accessibility.stored)
    func unavailable(_ level: Accessibility) throws {
        let store = try TestStore.withPasscode()
        let row = try store.device().seal(.sample(level))
        let metadata = try store.device().openMetadata(of: row)
        let states = [nil, try store.unlocked()?.locked()]
        for (state, isAvailable) in zip(states, [level.isAlwaysAvailable, level.outlivesLock]) {
            let device = Sealer(try store.keybag(), state)
            guard !isAvailable else {
                #expect(try device.secret(of: row) == "s3cret")
                continue
            }
            let expected = ProtectionError.classUnavailable(level.rawValue)
            #expect(throws: expected) { try device.openMetadata(of: row) }
            #expect(throws: expected) { try device.openSecret(of: row, metadata) }
            #expect(throws: expected) { try device.seal(.sample(level)) }
            // An altered row cannot be told before its keys are there.
            var altered = row
            altered.metadata[20] ^= 1
            #expect(throws: expected) { try device.openMetadata(of: altered) }
        }
    }

    @Test(
        "a row of a class or generation that there are no keys for is damaged, locked or not",
        arguments: [("ak", 0), ("ak", 2), ("akpu", 2), ("akpu", 0), ("f", 1), ("xy", 1), ("", 1)]
    )
    func unknownKeys(_ protection: String, _ generation: UInt32) throws {
        let store = try TestStore.withPasscode()
        var row = try store.device().seal(.sample())
        row.protection = protection
        row.keyGeneration = generation
        for device in [try store.device(), Sealer(try store.keybag())] {
            #expect(throws: ProtectionError.damagedRow(.unknownKey)) {
                try device.openMetadata(of: row)
            }
        }
    }

    @Test("without a passcode akpu is refused for that reason")
    func noPasscode() throws {
        let device = try TestStore().device()
        #expect(throws: ProtectionError.noPasscode) { try device.seal(.sample(.whenPasscodeSetThisDeviceOnly)) }
        #expect(throws: ProtectionError.classUnavailable("f")) { try device.seal(.sample(.untilReboot)) }
    }

    @Test("a row keeps an item without a secret apart from one with an empty one")
    func noSecret() throws {
        let device = try TestStore().device()
        #expect(try device.secret(of: device.seal(.sample(secret: nil))) == nil)
        #expect(try device.secret(of: device.seal(.sample(secret: ""))) == "")
    }

    @Test("every altered byte of either part is damage of that part")
    func alteredParts() throws {
        let device = try TestStore().device()
        let row = try device.seal(.sample())
        for index in row.metadata.indices {
            var altered = row
            altered.metadata[index] ^= 1
            #expect(throws: ProtectionError.damagedRow(.metadata)) { try device.secret(of: altered) }
        }
        for index in row.secret.indices {
            var altered = row
            altered.secret[index] ^= 1
            #expect(throws: ProtectionError.damagedRow(.secret)) { try device.secret(of: altered) }
        }
    }

    struct Enrolment {
        let flags: AccessControlFlags
        let stored: Bytes16?
        let expected: Bytes16?
    }

    private static let someSet = SystemRandomSource().bytes16()

    static let enrolments = [
        Enrolment(flags: .biometryCurrentSet, stored: someSet, expected: someSet),
        Enrolment(flags: .biometryCurrentSet, stored: nil, expected: nil),
        Enrolment(flags: .biometryAny, stored: someSet, expected: nil),
    ]

    @Test("which biometry was enrolled comes back with the access control that asks for it", arguments: enrolments)
    func enrolledSet(_ enrolment: Enrolment) throws {
        let device = try TestStore().device()
        var item = Item.sample(flags: enrolment.flags)
        var accessControl = try #require(item.attributes.accessControl)
        accessControl.enrolledSet = enrolment.stored
        item.attributes[.accessControl] = .accessControl(accessControl)
        let opened = try device.openMetadata(of: device.seal(item))
        let back = try #require(opened.attributes.accessControl)
        #expect(back == accessControl && back.enrolledSet == enrolment.expected)
    }

    @Test("metadata of another version is none", arguments: [0, 1, 2, 4] as [UInt8])
    func metadataOfOtherVersions(_ version: UInt8) throws {
        var bytes = MetadataCodec.encode(.init(attributes: Item.sample().attributes, hasSecret: true))
        bytes[0] = version
        #expect(throws: ProtectionError.damagedRow(.encoding)) { try MetadataCodec.decode(bytes) }
    }

    @Test("a row of one store does not open with the keys of another, nor under another's identifier")
    func bindsToStore() throws {
        let store = try TestStore()
        let row = try store.device().seal(.sample())
        let forged = try store.forged { $0.storeIdentifier = .counting(from: 1) }
        // The identifier is part of how every key of the keybag is wrapped.
        #expect(throws: ProtectionError.wrongRootKey) { try OpenKeybag(forged, rootKey: store.rootKey) }
        let keys = try StoreKeys(BackupKeys.purposes.map { ($0, try store.device().key($0).withKey { $0 }) })
        for (identifier, opens) in [(try store.keybag().storeIdentifier, true), (.counting(from: 1), false)] {
            let twin = try BackupKeys(for: identifier, keys: keys, floor: .standard)
            let metadata = try? RowMetadata(row, twin).open()
            let secret = try? RowSecret(of: row, keys: twin).open(needsPassword: false, nil)
            #expect((metadata != nil) == opens && (secret != nil) == opens)
        }
    }

    @Test("no two versions of a row are sealed with one key, even under one nonce")
    func keyOfEachVersion() throws {
        let device = try TestStore().device()
        let item = Item.sample()
        let rows = try (0..<8).map { _ in try device.seal(item) }
        #expect(Set(rows.map(\.version)).count == rows.count)
        for row in rows {
            // With the version of another the same bytes do not open, whatever else is the same.
            var altered = row
            altered.version = rows.first { $0.version != row.version }?.version ?? .zero
            #expect(throws: ProtectionError.damagedRow(.metadata)) { try device.openMetadata(of: altered) }
        }
    }

    @Test("a check of the tags finds what the sealing of another program could have done wrong")
    func checksTags() throws {
        let device = try TestStore().device()
        let row = try device.seal(.sample())
        let metadata = try device.openMetadata(of: row)
        #expect(throws: Never.self) { try device.checkTags(of: row, metadata, device.searchTags()) }
        var altered = row
        altered.primaryKeyTag = .counting(from: 1)
        #expect(throws: ProtectionError.damagedRow(.contradiction)) {
            try device.checkTags(of: altered, metadata, device.searchTags())
        }
        altered = row
        altered.tags.removeLast()
        #expect(throws: ProtectionError.damagedRow(.contradiction)) {
            try device.checkTags(of: altered, metadata, device.searchTags())
        }
    }
}

extension Attributes {
    fileprivate var accessControl: AccessControl? {
        guard case .accessControl(let accessControl)? = self[.accessControl] else { return nil }
        return accessControl
    }
}
