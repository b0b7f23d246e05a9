// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// Rows and lock states: what is unavailable, and what is damaged.
struct DeviceTests {
    @Test("a row whose keys are not there now is unavailable, not damaged", arguments: Accessibility.stored)
    func unavailable(_ level: Accessibility) throws {
        let store = try TestStore.withPasscode()
        let row = try store.device().seal(.sample(level))
        let metadata = try store.device().openMetadata(of: row, tags: store.keybag().searchTags())
        let states = [nil, try store.unlocked()?.locked()]
        for (state, isAvailable) in zip(states, [level.isAlwaysAvailable, level.outlivesLock]) {
            let device = Device(try store.keybag(), state)
            guard !isAvailable else {
                #expect(try device.secret(of: row) == "s3cret")
                continue
            }
            let expected = ProtectionError.classUnavailable(level.rawValue)
            #expect(throws: expected) { try device.openMetadata(of: row, tags: device.searchTags()) }
            #expect(throws: expected) { try device.openSecret(of: row, metadata) }
            #expect(throws: expected) { try device.seal(.sample(level)) }
            // An altered row cannot be told before its keys are there.
            var altered = row
            altered.metadata[20] ^= 1
            #expect(throws: expected) { try device.openMetadata(of: altered, tags: device.searchTags()) }
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
        for device in [try store.device(), Device(try store.keybag())] {
            #expect(throws: ProtectionError.damagedRow(.unknownKey)) {
                try device.openMetadata(of: row, tags: device.searchTags())
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
        var item = SealableItem.sample(flags: enrolment.flags)
        var accessControl = try #require(item.attributes.accessControl)
        accessControl.enrolledSet = enrolment.stored
        item.attributes[.accessControl] = .accessControl(accessControl)
        let opened = try device.openMetadata(of: device.seal(item), tags: device.searchTags())
        let back = try #require(opened.attributes.accessControl)
        #expect(back == accessControl && back.enrolledSet == enrolment.expected)
    }

    @Test("metadata of version 1 has no enrolled biometry, and is read")
    func metadataVersion1() throws {
        // Current biometry (bit 3) and the class "ak", as version 1 wrote them.
        let bytes = [UInt8](hexadecimal: "0101" + "0100" + "61636363" + "07" + "0a000000" + "0800000000000000" + "616b")
        let metadata = try MetadataCodec.decode(bytes)
        let accessControl = try #require(metadata.attributes.accessControl)
        #expect(accessControl.constraints?.flags == .biometryCurrentSet)
        #expect(accessControl.enrolledSet == nil && accessControl.protection == .whenUnlocked)
        var newer = bytes
        newer[0] = 2
        #expect(throws: ProtectionError.damagedRow(.encoding)) { try MetadataCodec.decode(newer) }
        newer[0] = 3
        #expect(throws: ProtectionError.damagedRow(.encoding)) { try MetadataCodec.decode(newer) }
        newer[0] = 0
        #expect(throws: ProtectionError.damagedRow(.encoding)) { try MetadataCodec.decode(newer) }
    }
}

extension Attributes {
    fileprivate var accessControl: AccessControl? {
        guard case .accessControl(let accessControl)? = self[.accessControl] else { return nil }
        return accessControl
    }
}
