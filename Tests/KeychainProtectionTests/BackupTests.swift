// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// Backups: keys of their own, and rows that are those that were put in.
struct BackupTests {
    private static let leftOut: [Accessibility: Int] = [
        .whenUnlockedThisDeviceOnly: 3, .whenPasscodeSetThisDeviceOnly: 1, .alwaysThisDeviceOnly: 0,
    ]
    private static let levels: [Accessibility] = [.whenUnlocked, .afterFirstUnlock, .always]

    private let store: TestStore
    private let originals: [StoredRow]
    private let rows: [StoredRow]
    private let bytes: [UInt8]

    init() throws {
        store = try .withPasscode()
        let device = try store.device()
        originals = try Self.levels.map { try device.seal(.sample($0)) }
        let sealer = try BackupSealer(BackupSecret("backup secret", .testing), random: SystemRandomSource())
        rows = try originals.map { try sealer.reseal($0, from: device) }
        for (number, row) in rows.enumerated() { sealer.include(row, number: Int64(number + 1)) }
        bytes = try sealer.keybag(leftOut: Self.leftOut, damaged: 2)
    }

    private func open(_ secret: SecretBytes = "backup secret") throws -> OpenBackup? {
        try OpenBackup(bytes, secret, floor: TestStore.floor)
    }

    /// Restores rows into another store, as one call of the engine does.
    private func restore(_ rows: [(StoredRow, Int64)], into target: Sealer) throws -> [StoredRow] {
        let backup = try #require(try open())
        let random = SystemRandomSource()
        let restored = try rows.map { row, number in
            try backup.reseal(row, number: number, for: target, target.searchTags(), random: random)
        }
        try backup.checkRows()
        return restored
    }

    private var numbered: [(StoredRow, Int64)] { zip(rows, 1...).map { ($0, Int64($1)) } }

    @Test("a backup says what is missing, and its items open on another device")
    func restores() throws {
        let backup = try #require(try open())
        #expect(backup.leftOut == Self.leftOut && backup.damaged == 2)
        let target = try TestStore().device()
        let restored = try restore(numbered, into: target)
        for row in restored { #expect(try target.secret(of: row) == "s3cret") }
        #expect(restored.map(\.identifier) == originals.map(\.identifier))
        for row in restored {
            #expect(throws: Never.self) {
                try target.checkTags(of: row, target.openMetadata(of: row), target.searchTags())
            }
        }
    }

    @Test("nothing of a row is the same in the store, the backup and the restored store but its identifier")
    func resealed() throws {
        let restored = try restore(numbered, into: TestStore().device())
        for (original, (backup, back)) in zip(originals, zip(rows, restored)) {
            for (one, other) in [(original, backup), (backup, back), (original, back)] {
                #expect(one.version != other.version && one.primaryKeyTag != other.primaryKeyTag)
                #expect(Set(one.tags).isDisjoint(with: other.tags))
                #expect(one.metadata != other.metadata && one.secret != other.secret)
            }
        }
    }

    @Test("a row of the store, written before or after, does not open with the backup's keys")
    func rowOfTheStore() throws {
        let later = try store.device().seal(.sample())
        for row in [later, originals[0]] {
            for rows in [[(row, Int64(1))], numbered + [(row, 4)], [(row, 1)] + Array(numbered.dropFirst())] {
                #expect(throws: ProtectionError.alteredBackup) { try restore(rows, into: TestStore().device()) }
            }
        }
    }

    @Test("a row of the backup, or of a restored twin, does not open in the store")
    func rowOfATwin() throws {
        let twin = try restore(numbered, into: TestStore().device())
        for row in rows + twin {
            #expect(throws: ProtectionError.damagedRow(.metadata)) { try store.device().secret(of: row) }
        }
    }

    @Test("a set of rows that is not the one that was put in is refused as a whole")
    func otherRows() throws {
        let target = try TestStore().device()
        #expect(throws: Never.self) { try restore(numbered, into: target) }
        let all = numbered
        var sets: [[(StoredRow, Int64)]] = [
            [], Array(all.dropLast()), Array(all.dropFirst()), all + [all[0]], all.reversed(),
            [all[1], all[0], all[2]], all.map { ($0.0, $0.1 + 1) },
            [(all[0].0, Int64(2)), (all[1].0, Int64(1)), all[2]],
        ]
        var tombstone = all
        tombstone[0].0.isTombstone = true
        sets.append(tombstone)
        for set in sets { #expect(throws: ProtectionError.alteredBackup) { try restore(set, into: target) } }
    }

    @Test("a row of another backup of the same store and secret is refused")
    func rowOfAnotherBackup() throws {
        let sealer = try BackupSealer(BackupSecret("backup secret", .testing), random: SystemRandomSource())
        let other = try sealer.reseal(originals[0], from: store.device())
        #expect(throws: ProtectionError.alteredBackup) {
            try restore([(other, 1)] + Array(numbered.dropFirst()), into: TestStore().device())
        }
    }

    @Test("application passwords go along, though nobody gave one")
    func keepsPasswords() throws {
        let key = try PasswordKey(new: "open sesame", .testing)
        let row = try store.device().seal(.sample(flags: .applicationPassword), key)
        let sealer = try BackupSealer(BackupSecret("", .testing), random: SystemRandomSource())
        let sealed = try sealer.reseal(row, from: store.device())
        sealer.include(sealed, number: 7)
        let backup = try #require(
            try OpenBackup(sealer.keybag(leftOut: [:], damaged: 0), "", floor: TestStore.floor)
        )
        let target = try TestStore().device()
        let restored = try backup.reseal(
            sealed,
            number: 7,
            for: target,
            target.searchTags(),
            random: SystemRandomSource()
        )
        try backup.checkRows()
        let header = try #require(try target.passwordHeader(of: restored, target.openMetadata(of: restored)))
        let again = try #require(try PasswordKey("open sesame", header))
        #expect(try target.secret(of: restored, again) == "s3cret")
    }

    @Test("a damaged row of the store is told from a locked one")
    func damagedOrLocked() throws {
        let sealer = try BackupSealer(BackupSecret("", .testing), random: SystemRandomSource())
        var altered = originals[0]
        altered.secret[0] ^= 1
        #expect(throws: ProtectionError.damagedRow(.secret)) { try sealer.reseal(altered, from: store.device()) }
        for state in [nil, try store.unlocked()?.locked()] {
            let locked = Sealer(try store.keybag(), state)
            #expect(throws: ProtectionError.classUnavailable("ak")) { try sealer.reseal(originals[0], from: locked) }
        }
        let ownLevel = try store.device().seal(.sample(.whenUnlockedThisDeviceOnly))
        #expect(throws: ProtectionError.damagedRow(.unknownKey)) { try sealer.reseal(ownLevel, from: store.device()) }
    }

    @Test("a wrong secret is nil", arguments: ["", "backup secret\0", "backup", "Backup secret"])
    func wrongSecret(_ secret: String) throws { #expect(try open(SecretBytes(Array(secret.utf8))) == nil) }

    @Test("a keybag with any one wrong byte never opens", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func alteredBytes(_ mask: UInt8) throws {
        // In the salt, the work and the check code a wrong byte is the same as a wrong secret.
        let header = 6..<6 + PasswordHeader.byteCount
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= mask
            guard Self.isLittleWork(altered) else { continue }
            do throws(ProtectionError) {
                let opened = try OpenBackup(altered, "backup secret", floor: TestStore.floor)
                #expect(opened == nil && header.contains(index), "byte \(index)")
            } catch {
                guard case .damagedKeybag = error else {
                    #expect(error == .newerKeybag(version: Int(altered[4]) | Int(altered[5]) << 8), "byte \(index)")
                    continue
                }
            }
        }
    }

    @Test("a keybag of any other length is a typed error")
    func otherLengths() {
        for count in bytes.indices { expectError(Array(bytes.prefix(count)), "\(count) bytes") }
        expectError(bytes + [0], "one more")
        expectError([], "none")
    }

    @Test("no backup asks for more than 256 MiB, nor for less than is allowed")
    func boundsWork() {
        var altered = bytes
        altered[6 + Bytes16.count] = 60
        expectError(altered, "N = 2^60")
        #expect(throws: ProtectionError.damagedKeybag("its secret asks for less work than is allowed")) {
            try OpenBackup(bytes, "backup secret")
        }
    }

    @Test("a keybag is no backup and a backup no keybag")
    func toldApart() {
        expectError(store.bytes, "a keybag")
        #expect(throws: ProtectionError.self) { try OpenKeybag(bytes, rootKey: store.rootKey) }
    }

    @Test("other versions are told from damage")
    func otherVersions() {
        var altered = bytes
        altered[4] += 1
        let newer = ProtectionError.newerKeybag(version: Int(FileFormat.keybagVersion) + 1)
        #expect(throws: newer) { try OpenBackup(altered, "backup secret") }
        altered[4...5] = [1, 0]
        expectError(altered, "a version that was never released")
    }

    /// Whether the work that a backup asks for is refused or done at once; a wrong byte can ask for a gigabyte.
    private static func isLittleWork(_ bytes: [UInt8]) -> Bool {
        guard let work = try? BackupContents.parse(bytes).contents.header.work else { return true }
        return work.log2Cost < 8 && work.blockSize < 32 && work.parallelization < 1_024
    }

    private func expectError(_ bytes: [UInt8], _ comment: Comment) {
        #expect(throws: ProtectionError.self, comment) {
            try OpenBackup(bytes, "backup secret", floor: TestStore.floor)
        }
    }
}
