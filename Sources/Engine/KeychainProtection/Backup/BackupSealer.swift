// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Seals the rows of a store for a backup, under keys that are created for it and wrapped under its secret.
///
/// So a backup opens only what was put into it, and nothing that is stored afterwards. Not thread-safe.
package final class BackupSealer {
    private let secret: BackupSecret
    private let keys: BackupKeys
    private let tags: SearchTags
    private let random: any RandomSource
    private var code: BackupRowCode
    private var fileCode: BackupFileCode

    /// Begins a backup without rows.
    ///
    /// - Parameters:
    ///   - secret: the secret that protects it.
    ///   - random: the source of its identifier and the versions of rows.
    /// - Throws: ``ProtectionError/noMemory``.
    package init(_ secret: BackupSecret, random: any RandomSource) throws(ProtectionError) {
        self.secret = secret
        self.random = random
        // The minimum work is not relevant here: the writer of a backup opens none of its rows.
        keys = try BackupKeys(for: random.bytes16(), keys: StoreKeys(fresh: BackupKeys.purposes), floor: .standard)
        tags = keys.searchTags()
        code = secret.rowCode(of: keys.storeIdentifier)
        fileCode = secret.fileCode(of: keys.storeIdentifier)
    }

    /// Reseals a row of the device; call ``include(_:number:)`` for each row that the backup receives.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, ``ProtectionError/classUnavailable(_:)`` on a locked device.
    package func reseal(_ row: StoredRow, from sealer: Sealer) throws(ProtectionError) -> StoredRow {
        var opened = try sealer.open(row)
        // A backup has no former values: who restores it wants what was there, and no more secrets than that.
        opened.attributes[.history] = nil
        return try keys.seal(opened, tags: tags, random: random)
    }

    /// Adds a row to the code, in the order of the rows in the backup.
    ///
    /// - Parameters:
    ///   - row: the result of ``reseal(_:from:)``.
    ///   - number: its number in its table.
    package func include(_ row: StoredRow, number: Int64) { code.add(row, number: number) }

    /// Seals a keychain file, which the backup receives after all its rows.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - number: its number in its table, from 1 in the order of the files.
    /// - Returns: The bytes for its row.
    /// - Throws: ``ProtectionError/cryptography(_:)``, which does not occur with valid keys.
    package func seal(_ file: BackedUpFile, number: Int64) throws(ProtectionError) -> [UInt8] {
        let sealed = try keys.seal(file, number: number)
        fileCode.add(sealed, number: number)
        return sealed
    }

    /// The bytes of the backup's keybag, once it has all its rows and files.
    ///
    /// - Parameters:
    ///   - leftOut: the number of items by accessibility that are not in the backup because they must not leave the
    ///     device.
    ///   - damaged: the number of items that are not in it because they do not open.
    /// - Returns: The bytes.
    /// - Throws: ``ProtectionError/cryptography(_:)``, which does not occur with valid keys.
    package func keybag(leftOut: [Accessibility: Int], damaged: Int) throws(ProtectionError) -> [UInt8] {
        var contents = BackupContents(
            header: secret.header,
            identifier: keys.storeIdentifier,
            leftOut: leftOut,
            damaged: damaged,
            rowCode: fileCode.finish(rows: code.finish())
        )
        let wrapping = secret.wrapping(of: keys.storeIdentifier)
        for purpose in BackupKeys.purposes {
            contents.entries[purpose] = try wrapping.wrap(
                keys.key(purpose),
                for: purpose,
                generation: BackupKeys.generation
            )
        }
        return contents.sealed(secret.authenticationKey(of: keys.storeIdentifier))
    }
}
