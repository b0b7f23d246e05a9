// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

extension Store {
    /// Writes a backup: a file of one state of the store, which appears under its name either complete or not at all.
    ///
    /// Rows are resealed and added one by one, so that nothing else of the store's file gets into the new one.
    ///
    /// - Parameters:
    ///   - reader: the state of the store.
    ///   - folder: the folder of the file, which is created with mode 0600.
    ///   - name: the name of the file, which must not exist.
    ///   - protections: the protection classes to include.
    ///   - staysBehind: whether to omit a row of such a class nevertheless.
    ///   - destroyedGeneration: as in ``RowFilter/destroyedGeneration``: destroyed rows are neither copied nor counted.
    ///   - contents: what to write for the included rows.
    /// - Returns: What the backup contains.
    /// - Throws: ``KeychainError`` with the reason, or the errors of `contents`; nothing is left behind in that case.
    package func writeBackup(
        of reader: RowReader,
        to folder: PrivateDirectory,
        name: String,
        protections: Set<String>,
        staysBehind: (StoredRow) -> Bool = { _ in false },
        destroyedGeneration: UInt32?,
        _ contents: NewBackup
    ) throws(KeychainError) -> BackupCounts {
        guard !folder.isTaken(name) else { throw KeychainError(StoreError.file(.taken(path: folder.path(of: name)))) }
        // Drawn, so that two processes that write a backup of the same name do not write one file.
        let temporary = "\(name).\(UInt64.random(in: .min ... .max)).new"
        defer { folder.remove(temporary) }
        do throws(FileError) { try folder.makeEmptyFile(temporary) } catch {
            throw KeychainError(StoreError.file(error))
        }
        let counts = try fill(
            { () throws(SQLiteError) in try SQLiteConnection(path: folder.path(of: temporary)) },
            of: reader,
            protections: protections,
            staysBehind: staysBehind,
            destroyedGeneration: destroyedGeneration,
            contents
        ).counts
        do throws(FileError) { try folder.publishNew(temporary, as: name) } catch {
            var failure = KeychainError(StoreError.file(error))
            // It has its name, and nothing but the last sync of the folder has failed.
            if !folder.isTaken(temporary) {
                failure.reason += "; the backup is complete and stays there, but may be gone after a loss of power"
            }
            throw failure
        }
        return counts
    }

    /// Makes a backup in memory, as ``writeBackup(of:to:name:protections:staysBehind:destroyedGeneration:_:)`` writes
    /// one.
    ///
    /// Its rows count as memory of the command, as rows that are read do.
    ///
    /// - Returns: What it contains, and the bytes of its file.
    /// - Throws: `errSecDataTooLarge` beyond `limit` bytes of rows, `errSecAllocate` if the program may not use so much
    ///   memory at present.
    package func backupImage(
        of reader: RowReader,
        atMost limit: Int,
        protections: Set<String>,
        staysBehind: (StoredRow) -> Bool = { _ in false },
        destroyedGeneration: UInt32?,
        _ contents: NewBackup
    ) throws(KeychainError) -> (counts: BackupCounts, bytes: SecretBytes) {
        let file = try fill(
            { () throws(SQLiteError) in try SQLiteConnection(fileInMemory: ()) },
            within: BackupRoom(limit: limit, reserveMemory: reserveMemory),
            of: reader,
            protections: protections,
            staysBehind: staysBehind,
            destroyedGeneration: destroyedGeneration,
            contents
        )
        return (file.counts, try file.image())
    }

    private func fill(
        _ open: () throws(SQLiteError) -> SQLiteConnection,
        within room: BackupRoom? = nil,
        of reader: RowReader,
        protections: Set<String>,
        staysBehind: (StoredRow) -> Bool,
        destroyedGeneration: UInt32?,
        _ contents: NewBackup
    ) throws(KeychainError) -> BackupWriter {
        let version = BackupLayout.version(
            hasFiles: contents.fileCount > 0,
            hasLookups: try reader.uses(.lookupAttributes)
        )
        let file = try BackupWriter(open, options, version: version, within: room)
        for itemClass in ItemClass.stored {
            try file.addRows(
                of: itemClass,
                from: reader.connection,
                destroyedGeneration: destroyedGeneration,
                contents: contents
            ) { row in
                protections.contains(row.protection) && !staysBehind(row)
            }
        }
        try file.addFiles(contents)
        try file.finish(keybag: contents.keybag(file.counts))
        return file
    }
}

/// The contents of a backup.
package struct NewBackup {
    fileprivate let reseal: (StoredRow) throws(KeychainError) -> StoredRow?
    fileprivate let include: (StoredRow, _ number: Int64) -> Void
    fileprivate let fileCount: Int
    fileprivate let sealFile: (_ index: Int, _ number: Int64) throws(KeychainError) -> [UInt8]
    fileprivate let keybag: (BackupCounts) throws(KeychainError) -> [UInt8]

    /// Creates the contents of a backup.
    ///
    /// - Parameters:
    ///   - reseal: returns the row to write; `nil` for one that does not open.
    ///   - include: called for every row that was added, in their order.
    ///   - fileCount: the number of keychain files.
    ///   - sealFile: returns the bytes to write for the keychain file of an index, after all rows.
    ///   - keybag: returns the keybag, once the contents of the backup are known.
    package init(
        reseal: @escaping (StoredRow) throws(KeychainError) -> StoredRow?,
        include: @escaping (StoredRow, _ number: Int64) -> Void,
        fileCount: Int,
        sealFile: @escaping (_ index: Int, _ number: Int64) throws(KeychainError) -> [UInt8],
        keybag: @escaping (BackupCounts) throws(KeychainError) -> [UInt8]
    ) {
        self.reseal = reseal
        self.include = include
        self.fileCount = fileCount
        self.sealFile = sealFile
        self.keybag = keybag
    }
}

/// The memory for a backup that is not written to a file.
private struct BackupRoom {
    let limit: Int
    let reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)?
    private var byteCount = 0

    init(limit: Int, reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)?) {
        self.limit = limit
        self.reserveMemory = reserveMemory
    }

    /// Counts bytes that are about to be added.
    mutating func use(_ bytes: Int) throws(KeychainError) {
        byteCount += bytes
        guard byteCount <= limit else {
            throw KeychainError(.dataTooLarge, "the backup has more than \(limit) bytes, and the service sends no more")
        }
        guard reserveMemory?(bytes) ?? true else {
            throw KeychainError(.allocate, "the backup needs more memory than the user's programs may use at present")
        }
    }
}

/// Fills the file of a backup.
private final class BackupWriter {
    private let connection: SQLiteConnection
    private let version: FileVersion
    private var room: BackupRoom?
    private(set) var counts = BackupCounts()

    /// Starts with an empty file, which no other process uses before it has its name, and which is synced then.
    init(
        _ open: () throws(SQLiteError) -> SQLiteConnection,
        _ options: StoreOptions,
        version: FileVersion,
        within room: BackupRoom?
    ) throws(KeychainError) {
        self.room = room
        self.version = version
        do throws(SQLiteError) {
            connection = try open()
            try connection.execute("PRAGMA journal_mode = MEMORY")
            try connection.execute("PRAGMA synchronous = OFF")
            try connection.limit(options)
            try connection.begin()
            for statement in BackupLayout.creation(version.version) { try connection.execute(statement) }
        } catch {
            throw KeychainError(error)
        }
    }

    /// Adds the rows of a class that belong into the backup, and counts all of them.
    func addRows(
        of itemClass: ItemClass,
        from source: SQLiteConnection,
        destroyedGeneration: UInt32?,
        contents: NewBackup,
        where belongs: (StoredRow) -> Bool
    ) throws(KeychainError) {
        let rows = try sql { () throws(SQLiteError) in try source.everyRow(itemClass) }
        while try sql({ () throws(SQLiteError) in try rows.next() }) {
            let row = rows.row
            if let row, row.row.isDestroyed(destroyedGeneration) { continue }
            guard let row, row.damage == nil else {
                counts.damaged += 1
                continue
            }
            let isItem = !row.row.isTombstone
            if !belongs(row.row) {
                if isItem { counts.leftOut[row.row.protection, default: 0] += 1 }
            } else if let sealed = try contents.reseal(row.row), try add(sealed, row.number) {
                contents.include(sealed, row.number)
                if isItem { counts.items += 1 }
            } else {
                counts.damaged += 1
            }
        }
    }

    /// Whether the row could be added: two rows of one identifier or primary key cannot, and are in no sound store.
    private func add(_ row: StoredRow, _ number: Int64) throws(KeychainError) -> Bool {
        try room?.use(row.byteCount)
        do throws(SQLiteError) {
            try connection.insert(NumberedRow(number: number, row: row, damage: nil))
            return true
        } catch {
            if error.isUniqueViolation { return false }
            throw KeychainError(error)
        }
    }

    /// Adds the keychain files.
    func addFiles(_ contents: NewBackup) throws(KeychainError) {
        guard contents.fileCount > 0 else { return }
        let statement = try sql { () throws(SQLiteError) in
            try connection.prepare(
                "INSERT INTO \(BackupLayout.files) (\(Layout.rowNumber), \(BackupLayout.sealed)) VALUES (?, ?)"
            )
        }
        for index in 0..<contents.fileCount {
            let number = Int64(index + 1)
            let sealed = try contents.sealFile(index, number)
            try room?.use(sealed.count)
            try sql { () throws(SQLiteError) in
                defer { statement.reset() }
                try statement.bind(number, at: 0)
                try statement.bind(sealed, at: 1)
                try connection.changeOneRow(statement)
            }
            counts.files += 1
        }
    }

    /// The bytes of the file, of a database in memory.
    func image() throws(KeychainError) -> SecretBytes {
        SecretBytes(try sql { () throws(SQLiteError) in try connection.image() })
    }

    func finish(keybag: [UInt8]) throws(KeychainError) {
        do throws(SQLiteError) {
            try connection.insert(keybag: keybag)
            try connection.execute("PRAGMA application_id = \(BackupLayout.applicationIdentifier)")
            try connection.execute("PRAGMA user_version = \(version.recorded)")
            try connection.commit()
        } catch {
            throw KeychainError(error)
        }
    }
}
