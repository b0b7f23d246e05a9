// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of a backup file (Documentation/Format.md, "Backup file"): those of a store, without search columns and
/// without a device.
enum BackupLayout {
    /// The value of `PRAGMA user_version`.
    ///
    /// It has no feature of a later revision, so that every program of the format reads it; and it is never modified.
    static let version = FileVersion.base

    /// Marks the file as a backup in `PRAGMA application_id`: "SKBK".
    static let applicationIdentifier: Int64 = 0x534B_424B

    /// The longest value that a reader accepts: two parts of a row at their maximum size, with their wrapping.
    static let valueLimit = Int32(2 * ItemLimits.partByteCount + (1 << 20))

    /// The statements that make an empty file of a version; a reader finds exactly these in the file's schema.
    static func creation(_ version: UInt16 = FileFormat.baseVersion) -> [String] {
        [Layout.keybagTable] + ItemClass.stored.flatMap { Layout.itemTable($0, version) }
    }
}
