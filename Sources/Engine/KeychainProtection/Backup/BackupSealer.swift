// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Seals the rows of a store for a backup, under keys that are made for it and wrapped under its secret.
///
/// So a backup opens nothing but what was put into it, and nothing that is stored afterwards. Not thread-safe.
package final class BackupSealer {
    private let secret: BackupSecret
    private let keys: BackupKeys
    private let tags: SearchTags
    private let random: any RandomSource
    private var code: BackupRowCode

    /// Begins a backup without rows.
    ///
    /// - Parameters:
    ///   - secret: what protects it.
    ///   - random: where its identifier and the versions of rows come from.
    /// - Throws: ``ProtectionError/noMemory``.
    package init(_ secret: BackupSecret, random: any RandomSource) throws(ProtectionError) {
        self.secret = secret
        self.random = random
        // Nobody asks the floor of this: no row of a backup is opened by the one who writes it.
        keys = try BackupKeys(random.bytes16(), StoreKeys(fresh: BackupKeys.purposes), .standard)
        tags = keys.searchTags()
        code = secret.rowCode(of: keys.storeIdentifier)
    }

    /// Seals a row of the device anew; ``include(_:number:)`` has to follow for those that the backup gets.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, ``ProtectionError/classUnavailable(_:)`` on a locked device.
    package func reseal(_ row: StoredRow, from sealer: Sealer) throws(ProtectionError) -> StoredRow {
        try sealer.reseal(row, under: keys, tags, random)
    }

    /// Takes a row into the code, in the order of the rows in the backup.
    ///
    /// - Parameters:
    ///   - row: what ``reseal(_:from:)`` gave.
    ///   - number: its number in its table.
    package func include(_ row: StoredRow, number: Int64) { code.add(row, number: number) }

    /// The bytes of the backup's keybag, once it has all its rows.
    ///
    /// - Parameters:
    ///   - leftOut: how many items of which level are not in the backup, because they may not leave the device.
    ///   - damaged: how many are not in it because they do not open.
    /// - Returns: The bytes.
    /// - Throws: ``ProtectionError/cryptography(_:)``, which valid keys do not give.
    package func keybag(leftOut: [Accessibility: Int], damaged: Int) throws(ProtectionError) -> [UInt8] {
        var contents = BackupContents(
            header: secret.header,
            identifier: keys.storeIdentifier,
            leftOut: leftOut,
            damaged: damaged,
            rowCode: code.finish()
        )
        let wrapping = secret.wrapping(of: keys.storeIdentifier)
        for purpose in BackupKeys.purposes {
            contents.entries[purpose] = try wrapping.wrap(keys.key(purpose), purpose, BackupKeys.generation)
        }
        return contents.sealed(secret.authenticationKey(of: keys.storeIdentifier))
    }
}
