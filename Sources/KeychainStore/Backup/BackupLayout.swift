// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of a backup file (Documentation/Format.md, "Backup file"): those of a store, without what only searching
/// needs, and without a device.
enum BackupLayout {
    /// Kept in `PRAGMA user_version`.
    static let version = Int64(FileFormat.version)

    /// Marks the file as a backup in `PRAGMA application_id`: "SKBK".
    static let applicationIdentifier: Int64 = 0x534B_424B

    /// The longest value that a reader takes: two parts of a row at their largest, with their wrapping.
    static let valueLimit = Int32(ItemLimits.secretByteCount + ItemLimits.metadataByteCount + (1 << 20))

    /// The statements that make an empty file of a version; a reader finds exactly these in the file's schema.
    static func creation(_ version: Int64 = version) -> [String] {
        [Layout.keybagTable] + ItemClass.stored.flatMap { Layout.itemTable($0, version) }
    }
}
