// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

struct BackupKeybagTests {
    private static let leftOut: [Accessibility: Int] = [
        .whenUnlockedThisDeviceOnly: 3, .whenPasscodeSetThisDeviceOnly: 1, .alwaysThisDeviceOnly: 0,
    ]

    private let store: TestStore
    private let bytes: [UInt8]

    init() throws {
        store = try .withPasscode()
        bytes = try BackupKeybag.make(
            store.device(),
            BackupSecret("backup secret", .testing),
            leftOut: Self.leftOut,
            damaged: 2
        )
    }

    @Test("a backup opens on another device what may leave this one, and says what is missing")
    func restores() throws {
        let rows = try Accessibility.stored.map { try store.device().seal(.sample($0)) }
        let backup = try #require(try BackupKeybag.open(bytes, "backup secret"))
        #expect(backup.leftOut == Self.leftOut && backup.damaged == 2)
        let rootKey = try SoftwareRootKey.ephemeral()
        let keybag = try OpenKeybag(backup.keybag(rootKey: rootKey, random: SystemRandomSource()), rootKey: rootKey)
        #expect(keybag.passcodeSlot == nil && keybag.passcodeGeneration == 1)
        #expect(try keybag.keybag.storeIdentifier != store.keybag().keybag.storeIdentifier)
        let device = Device(keybag)
        for row in rows {
            switch row.protection {
            case "ak", "ck", "dk": #expect(try device.secret(of: row) == "s3cret")
            case "akpu": #expect(throws: ProtectionError.damagedRow(.unknownKey)) { try device.secret(of: row) }
            default: #expect(throws: ProtectionError.damagedRow(.metadata)) { try device.secret(of: row) }
            }
        }
    }

    @Test("application passwords are the same after a restore")
    func keepsPasswords() throws {
        let key = try store.keybag().newPasswordKey("open sesame", .testing)
        let row = try store.device().seal(.sample(flags: .applicationPassword), key)
        let backup = try #require(try BackupKeybag.open(bytes, "backup secret"))
        let rootKey = try SoftwareRootKey.ephemeral()
        let keybag = try OpenKeybag(backup.keybag(rootKey: rootKey, random: SystemRandomSource()), rootKey: rootKey)
        let again = try #require(try keybag.passwordKey("open sesame", key.header))
        #expect(try Device(keybag).secret(of: row, again) == "s3cret")
    }

    @Test("a wrong secret is nil", arguments: ["", "backup secret\0", "backup", "Backup secret"])
    func wrongSecret(_ secret: String) throws {
        #expect(try BackupKeybag.open(bytes, SecretBytes(Array(secret.utf8))) == nil)
    }

    @Test("the backup of a locked device is refused")
    func refusesLocked() throws {
        let secret = try BackupSecret("backup secret", .testing)
        for state in [nil, try store.unlocked()?.locked()] {
            #expect(throws: ProtectionError.classUnavailable("ak")) {
                try BackupKeybag.make(Device(store.keybag(), state), secret, leftOut: [:], damaged: 0)
            }
        }
    }

    @Test("a backup without a passcode holds the same")
    func withoutPasscode() throws {
        let plain = try TestStore()
        let secret = try BackupSecret("", .testing)
        let bytes = try BackupKeybag.make(plain.device(), secret, leftOut: [:], damaged: 0)
        let backup = try #require(try BackupKeybag.open(bytes, ""))
        #expect(backup.leftOut.isEmpty && backup.damaged == 0)
    }

    @Test("a backup with any one wrong byte never opens", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func alteredBytes(_ mask: UInt8) throws {
        // In the salt, the work and the check code a wrong byte is the same as a wrong secret.
        let header = 6..<6 + PasswordHeader.byteCount
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= mask
            guard Self.isLittleWork(altered) else { continue }
            do throws(ProtectionError) {
                let opened = try BackupKeybag.open(altered, "backup secret")
                #expect(opened == nil && header.contains(index), "byte \(index)")
            } catch {
                guard case .damagedKeybag = error else {
                    #expect(error == .newerKeybag(version: Int(altered[4]) | Int(altered[5]) << 8), "byte \(index)")
                    continue
                }
            }
        }
    }

    @Test("a backup of any other length is a typed error")
    func otherLengths() {
        for count in bytes.indices { expectError(Array(bytes.prefix(count)), "\(count) bytes") }
        expectError(bytes + [0], "one more")
        expectError([], "none")
    }

    @Test("no backup asks for more than 1 GiB")
    func boundsWork() {
        var altered = bytes
        altered[6 + Bytes16.count] = 60
        expectError(altered, "N = 2^60")
    }

    @Test("a keybag is no backup and a backup no keybag")
    func toldApart() {
        expectError(store.bytes, "a keybag")
        #expect(throws: ProtectionError.self) { try OpenKeybag(bytes, rootKey: store.rootKey) }
    }

    @Test("a newer backup is told from damage")
    func newer() {
        var altered = bytes
        altered[4] = 2
        #expect(throws: ProtectionError.newerKeybag(version: 2)) { try BackupKeybag.open(altered, "backup secret") }
    }

    /// Whether the work that a backup asks for is refused or done at once; a wrong byte can ask for a gigabyte.
    private static func isLittleWork(_ bytes: [UInt8]) -> Bool {
        guard let work = try? BackupContents.parse(bytes).contents.header.work else { return true }
        return work.log2Cost < 8 && work.blockSize < 32 && work.parallelization < 1_024
    }

    private func expectError(_ bytes: [UInt8], _ comment: Comment) {
        #expect(throws: ProtectionError.self, comment) { try BackupKeybag.open(bytes, "backup secret") }
    }
}
