// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of a backup file (Documentation/Format.md, "Backup file"): those of a store, without search columns and
/// without a device; and that of keychain files, if it has any.
enum BackupLayout {
    /// The value of `PRAGMA user_version`.
    ///
    /// Without keychain files and lookup attributes it has no feature of a later revision, so that every program of the
    /// format reads it; with some, no program reads it that knows of none. A backup is never modified.
    static func version(hasFiles: Bool, hasLookups: Bool = false) -> FileVersion {
        let revision = hasLookups ? lookupRevision : hasFiles ? fileRevision : 0
        return FileVersion(revision: revision, readerRevision: revision, writerRevision: revision)
    }

    /// The first revision whose backups can have keychain files.
    static let fileRevision: UInt8 = 1

    /// The first revision whose programs list the lookup attributes of items that they restore.
    private static let lookupRevision = StoreFeature.lookupAttributes.version.revision

    /// The highest version that this program reads.
    static let highestVersion = version(hasFiles: true, hasLookups: true)

    /// The versions of backups that have the table of keychain files, which may be empty in later ones.
    static let versionsWithFiles = version(hasFiles: true).version...highestVersion.version

    /// Whether backups of a version have the table of keychain files.
    static func hasFiles(_ version: UInt16) -> Bool { versionsWithFiles.contains(version) }

    /// The version of a backup's item tables.
    static func tables(_ version: UInt16) -> UInt16 { hasFiles(version) ? FileFormat.baseVersion : version }

    /// Marks the file as a backup in `PRAGMA application_id`: "SKBK".
    static let applicationIdentifier: Int64 = 0x534B_424B

    /// The longest value that a reader accepts: two parts of a row at their maximum size, with their wrapping.
    static let valueLimit = Int32(2 * ItemLimits.partByteCount + (1 << 20))

    /// The table of keychain files.
    static let files = "keychain_files"

    /// The column of a sealed file.
    static let sealed = "sealed"

    /// The statements that make an empty file of a version; a reader finds exactly these in the file's schema.
    static func creation(_ version: UInt16) -> [String] {
        [Layout.keybagTable] + ItemClass.stored.flatMap { Layout.itemTable($0, tables(version)) }
            + (hasFiles(version) ? [fileTable] : [])
    }

    /// The statement that makes the table of keychain files.
    static let fileTable =
        "CREATE TABLE \(files) (\(Layout.rowNumber) INTEGER PRIMARY KEY, \(sealed) BLOB NOT NULL)"
}
