// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A backup whose keybag was authenticated and unwrapped, and whose rows are on their way into a store.
///
/// Not thread-safe.
package final class OpenBackup {
    /// How many items of which level are not in the backup, because they may not leave the device.
    package let leftOut: [Accessibility: Int]

    /// How many items are not in the backup because they did not open.
    package let damaged: Int

    private let keys: BackupKeys
    private let expectedCode: [UInt8]
    private var code: BackupRowCode

    /// Opens the keybag of a backup: authenticates it before anything in it is believed.
    ///
    /// Slow by design, as the backup says. There is none for a wrong secret.
    ///
    /// - Parameters:
    ///   - bytes: the keybag.
    ///   - secret: what protects the backup.
    ///   - floor: the least work that the backup, or an application password in it, may ask for.
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
        keys = try BackupKeys(contents.identifier, StoreKeys(Array(zip(purposes, unwrapped))), floor)
        leftOut = contents.leftOut
        damaged = contents.damaged
        expectedCode = contents.rowCode
        code = secret.rowCode(of: contents.identifier)
    }

    /// Takes in the next row of the backup, and seals it anew for a device whose keys are all there.
    ///
    /// What this gives is believed only after ``checkRows()``.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - number: its number in its table.
    ///   - sealer: what it is sealed with.
    ///   - tags: the maker of search tags of that sealer.
    ///   - random: where its version comes from.
    /// - Returns: The row for the device, of the same identifier.
    /// - Throws: ``ProtectionError/alteredBackup`` for a row that was not put into this backup, or was altered.
    package func reseal(
        _ row: StoredRow,
        number: Int64,
        for sealer: Sealer,
        _ tags: SearchTags,
        random: any RandomSource
    ) throws(ProtectionError) -> StoredRow {
        code.add(row, number: number)
        do throws(ProtectionError) {
            return try keys.reseal(row, under: sealer, tags, random)
        } catch .damagedRow {
            throw .alteredBackup
        }
    }

    /// Checks that the rows were those of the backup, all of them, in their order.
    ///
    /// - Throws: ``ProtectionError/alteredBackup``.
    package func checkRows() throws(ProtectionError) {
        guard SecretBytes(code.finish()) == SecretBytes(expectedCode) else { throw .alteredBackup }
    }
}
