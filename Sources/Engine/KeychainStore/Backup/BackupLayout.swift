// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of a backup file (Documentation/Format.md, "Backup file"): those of a store, without search columns and
/// without a device.
enum BackupLayout {
    /// The value of `PRAGMA user_version`.
    ///
    /// A reader accepts exactly the tables of the backup's version, so no program of an earlier revision reads it; and
    /// backups are never modified.
    static let version = FileVersion(
        version: FileFormat.version,
        readerRevision: FileFormat.revision,
        writerRevision: FileFormat.revision
    )

    /// Marks the file as a backup in `PRAGMA application_id`: "SKBK".
    static let applicationIdentifier: Int64 = 0x534B_424B

    /// The longest value that a reader accepts: two parts of a row at their maximum size, with their wrapping.
    static let valueLimit = Int32(2 * ItemLimits.partByteCount + (1 << 20))

    /// The statements that make an empty file of a version; a reader finds exactly these in the file's schema.
    static func creation(_ version: UInt16 = FileFormat.version) -> [String] {
        [Layout.keybagTable] + ItemClass.stored.flatMap { Layout.itemTable($0, version) }
    }
}
