// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A backup with an authenticated and unwrapped keybag, whose rows are being restored.
///
/// Not thread-safe.
package final class OpenBackup {
    /// The number of items by accessibility that are not in the backup because they must not leave the device.
    package let leftOut: [Accessibility: Int]

    /// How many items are not in the backup because they did not open.
    package let damaged: Int

    private let keys: BackupKeys
    private let expectedCode: [UInt8]
    private var code: BackupRowCode
    private var fileCode: BackupFileCode

    /// Opens the keybag of a backup, authenticating it before its contents are used.
    ///
    /// Slow by design, as specified by the backup. It returns `nil` for a wrong secret.
    ///
    /// - Parameters:
    ///   - bytes: the keybag.
    ///   - secret: the secret that protects the backup.
    ///   - floor: the minimum work that the backup, or an application password in it, may specify.
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)`` or
    ///   ``ProtectionError/noMemory``.
    package init?(_ bytes: [UInt8], _ secret: SecretBytes, floor: ScryptFloor = .standard) throws(ProtectionError) {
        let parsed = try BackupContents.parse(bytes)
        let contents = parsed.contents
        guard contents.header.work.isAcceptable(floor) else {
            throw .damagedKeybag("its secret asks for less work than is allowed")
        }
        guard let secret = try BackupSecret(secret, contents.header) else { return nil }
        guard parsed.isAuthentic(under: secret.authenticationKey(of: contents.identifier)) else {
            throw .damagedKeybag("its authentication code is wrong")
        }
        let wrapping = secret.wrapping(of: contents.identifier)
        let purposes = BackupKeys.purposes
        let unwrapped = try wrapping.unwrap(
            purposes.map { (($0, BackupKeys.generation), contents.entries[$0] ?? []) }
        )
        keys = try BackupKeys(for: contents.identifier, keys: StoreKeys(Array(zip(purposes, unwrapped))), floor: floor)
        leftOut = contents.leftOut
        damaged = contents.damaged
        expectedCode = contents.rowCode
        code = secret.rowCode(of: contents.identifier)
        fileCode = secret.fileCode(of: contents.identifier)
    }

    /// What a keybag says without its secret, which proves it.
    package struct Outline: Sendable, Hashable {
        /// As ``OpenBackup/leftOut``.
        package let leftOut: [Accessibility: Int]
        /// As ``OpenBackup/damaged``.
        package let damaged: Int
    }

    /// What the keybag of a backup says without its secret.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)`` or ``ProtectionError/newerKeybag(version:)``.
    package static func outline(_ bytes: [UInt8]) throws(ProtectionError) -> Outline {
        let contents = try BackupContents.parse(bytes).contents
        return Outline(leftOut: contents.leftOut, damaged: contents.damaged)
    }

    /// Reseals the next row of the backup for a device whose keys are all available.
    ///
    /// The results must not be trusted before ``checkRows()``.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - number: its number in its table.
    ///   - sealer: the sealer of the device.
    ///   - tags: the search tag generator of that sealer.
    ///   - random: the source of its version.
    /// - Returns: The row for the device, with the same identifier.
    /// - Throws: ``ProtectionError/alteredBackup`` for a row that does not belong to this backup, or was modified.
    package func reseal(
        _ row: StoredRow,
        number: Int64,
        for sealer: Sealer,
        _ tags: SearchTags,
        random: any RandomSource
    ) throws(ProtectionError) -> StoredRow {
        code.add(row, number: number)
        do throws(ProtectionError) {
            return try keys.reseal(row, under: sealer, tags: tags, random: random)
        } catch .damagedRow {
            throw .alteredBackup
        }
    }

    /// Opens the next row of the backup.
    ///
    /// The result must not be trusted before ``checkRows()``.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - number: its number in its table.
    /// - Returns: Its attributes, and its secret.
    /// - Throws: ``ProtectionError/alteredBackup`` as ``reseal(_:number:for:_:random:)``.
    package func open(_ row: StoredRow, number: Int64) throws(ProtectionError) -> OpenedBackupRow {
        code.add(row, number: number)
        do throws(ProtectionError) { return try keys.open(row) } catch .damagedRow { throw .alteredBackup }
    }

    /// Opens the next keychain file of the backup, after all its rows.
    ///
    /// The result must not be trusted before ``checkRows()``.
    ///
    /// - Throws: ``ProtectionError/alteredBackup``.
    package func open(file sealed: [UInt8], number: Int64) throws(ProtectionError) -> BackedUpFile {
        fileCode.add(sealed, number: number)
        return try keys.open(sealed, number: number)
    }

    /// Checks that the rows and files were those of the backup, complete and in order.
    ///
    /// - Throws: ``ProtectionError/alteredBackup``.
    package func checkRows() throws(ProtectionError) {
        guard SecretBytes(fileCode.finish(rows: code.finish())) == SecretBytes(expectedCode) else {
            throw .alteredBackup
        }
    }
}
