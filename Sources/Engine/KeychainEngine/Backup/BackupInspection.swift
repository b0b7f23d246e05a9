// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// A backup that is read without a keychain: into memory, and nothing is written.
package struct BackupInspection {
    private let reader: BackupReader
    private let keybag: [UInt8]

    /// Opens a file.
    ///
    /// - Throws: `errSecNotAvailable` for anything other than a backup, a damaged one, or one of a newer version.
    package init(of path: String) throws(KeychainError) { try self.init(BackupReader(path)) }

    init(_ reader: BackupReader) throws(KeychainError) {
        self.reader = reader
        keybag = try reader.keybag()
    }

    /// What the file says without its secret.
    ///
    /// Nothing but the secret proves any of it.
    package func outline() throws(KeychainError) -> BackupOutline {
        let said: OpenBackup.Outline
        do throws(ProtectionError) { said = try OpenBackup.outline(keybag) } catch { throw KeychainError(error) }
        return BackupOutline(
            version: reader.version.text,
            items: try reader.itemCounts(),
            files: try reader.fileCount(),
            leftOut: said.leftOut,
            damaged: said.damaged
        )
    }

    /// Opens every row and file, and checks that they are those of the backup.
    ///
    /// - Parameters:
    ///   - secret: the secret of the backup.
    ///   - floor: the minimum work that it may specify.
    /// - Returns: The items, without their secrets, and the keychain files.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` for a damaged or altered backup.
    package func contents(
        _ secret: SecretBytes,
        atLeast floor: ScryptFloor = .standard
    ) throws(KeychainError) -> InspectedBackup {
        try contents(secret, atLeast: floor, KeyDerivations(nil))
    }

    /// The same for a process that derives keys for several clients.
    func contents(
        _ secret: SecretBytes,
        atLeast floor: ScryptFloor,
        _ derivations: KeyDerivations
    ) throws(KeychainError) -> InspectedBackup {
        let examined = try examination(secret, atLeast: floor, derivations)
        guard examined.damage == nil else { throw KeychainError(ProtectionError.alteredBackup) }
        return examined.contents
    }

    /// Opens every row and file, and goes on after those that do not open.
    ///
    /// - Parameters:
    ///   - secret: the secret of the backup.
    ///   - floor: the minimum work that it may specify.
    /// - Returns: What opened, which must not be trusted if there is damage, and the damage.
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` for a file that is damaged as a whole.
    package func examination(
        _ secret: SecretBytes,
        atLeast floor: ScryptFloor = .standard
    ) throws(KeychainError) -> (contents: InspectedBackup, damage: BackupDamage?) {
        try examination(secret, atLeast: floor, KeyDerivations(nil))
    }

    private func examination(
        _ secret: SecretBytes,
        atLeast floor: ScryptFloor,
        _ derivations: KeyDerivations
    ) throws(KeychainError) -> (contents: InspectedBackup, damage: BackupDamage?) {
        let opened = try OpenBackup.opened(keybag, secret, atLeast: floor, in: derivations)
        var contents = InspectedBackup(leftOut: opened.leftOut, damaged: opened.damaged)
        var damage = BackupDamage()
        for itemClass in ItemClass.stored {
            try reader.forEachRow(itemClass) { (row) throws(KeychainError) in
                let item = try opened.openingIntact { (backup) throws(ProtectionError) in
                    try backup.open(row.row, number: row.number)
                }
                guard let item else {
                    damage.items[itemClass, default: 0] += 1
                    return
                }
                guard !item.isTombstone else { return }
                contents.items.append(BackedUpItem(itemClass, item.identifier, attributes: item.attributes))
            }
        }
        try reader.forEachFile { (sealed, number) throws(KeychainError) in
            let file = try opened.openingIntact { (backup) throws(ProtectionError) in
                try backup.open(file: sealed, number: number)
            }
            if let file { contents.files.append(file) } else { damage.files += 1 }
        }
        let isWhole = try opened.openingIntact { (backup) throws(ProtectionError) in try backup.checkRows() } != nil
        return (contents, isWhole && damage == BackupDamage() ? nil : damage)
    }
}

/// What a backup says without its secret.
package struct BackupOutline: Sendable, Hashable {
    /// Format and revision, as people write them.
    package let version: String
    /// The number of items by class.
    package let items: [ItemClass: Int]
    /// The number of keychain files.
    package let files: Int
    /// The number of items that stayed on the device, by accessibility.
    package let leftOut: [Accessibility: Int]
    /// The number of items that were damaged.
    package let damaged: Int
}

/// What of a backup is not as it was put into it.
///
/// If everything opens, rows or files are missing, in another order, or from another backup.
package struct BackupDamage: Sendable, Hashable {
    /// The number of items that do not open, by class.
    package fileprivate(set) var items: [ItemClass: Int] = [:]
    /// The number of keychain files that do not open.
    package fileprivate(set) var files = 0
}

/// What is in a backup.
package struct InspectedBackup: Sendable, Hashable {
    /// The items, by class and in the order in which they were added.
    package fileprivate(set) var items: [BackedUpItem] = []
    /// The keychain files.
    package fileprivate(set) var files: [BackedUpFile] = []
    /// The number of items that stayed on the device, by accessibility.
    package let leftOut: [Accessibility: Int]
    /// The number of items that were damaged.
    package let damaged: Int

    fileprivate init(leftOut: [Accessibility: Int], damaged: Int) {
        self.leftOut = leftOut
        self.damaged = damaged
    }

    /// The contents in numbers.
    package var report: BackupReport {
        BackupReport(items: items.count, files: files.count, leftOut: leftOut, damaged: damaged)
    }
}

extension OpenBackup {
    /// Opens the keybag of a backup.
    ///
    /// - Throws: `errSecAuthFailed` for a wrong secret, `errSecNotAvailable` for a damaged keybag.
    static func opened(
        _ keybag: [UInt8],
        _ secret: SecretBytes,
        atLeast floor: ScryptFloor,
        in derivations: KeyDerivations
    ) throws(KeychainError) -> OpenBackup {
        let opened = try derivations.derive { () throws(ProtectionError) in
            try OpenBackup(keybag, secret, floor: floor)
        }
        guard let opened else { throw KeychainError(.authenticationFailed, "the secret of the backup is wrong") }
        return opened
    }

    /// Runs a step of reading the backup; `nil` for what is not as it was put into it.
    fileprivate func openingIntact<Result>(
        _ body: (OpenBackup) throws(ProtectionError) -> Result
    ) throws(KeychainError) -> Result? {
        do throws(ProtectionError) { return try body(self) } catch .alteredBackup { return nil } catch {
            throw KeychainError(error)
        }
    }

    /// Runs a step of reading the backup.
    func opening<Result>(
        _ body: (OpenBackup) throws(ProtectionError) -> Result
    ) throws(KeychainError) -> Result {
        do throws(ProtectionError) { return try body(self) } catch { throw KeychainError(error) }
    }
}
