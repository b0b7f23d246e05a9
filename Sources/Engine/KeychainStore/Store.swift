// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import KeychainCore
import KeychainHost

/// The store of one keychain: rows in a file or in memory.
///
/// It holds no key and has no access to one.
///
/// Not thread-safe: the keychain that owns it admits one thread at a time, inside the fork gate. So this code never
/// waits for another connection: a lock that is held by one is an error (``KeychainError/isBusy``), and the caller
/// tries again.
package final class Store {
    let connection: SQLiteConnection
    let options: StoreOptions
    private(set) var watched: WatchedFile?

    /// The lock that all hosts see, which is held for as long as the store is open; `nil` for one that needs none.
    private var hostLock: HostLock?

    /// The version of the file, as far as this program supports it.
    var fileVersion = FileVersion.base

    /// The version of the file.
    package var version: FileVersion { fileVersion }

    /// Whether the file has got another version or other tables since, so that it has to be opened again.
    private var hasOtherVersion = false

    /// SQLite's schema version of the file, which changes with the declarations
    /// (sqlite.org/pragma.html#pragma_schema_version).
    var declarationsNumber: Int64 = 0

    /// Told of each other version that the store gets by a change of this one; called in the midst of a call.
    package var onVersionChange: (@Sendable (StoreVersionChange) -> Void)?

    /// Whether anybody observes rows, and who is told what a transaction did to them, once it is committed; called in
    /// the midst of a call.
    package var rowObservers: (areThere: @Sendable () -> Bool, tell: @Sendable (RowChanges) -> Void)?

    /// Why a store of the format before could not be brought up to date, so that it is only read.
    package var obstacle: KeychainError?

    /// The file's name in the keychain's folder.
    package static let fileName = "keychain.db"
    static let lockName = "setup.lock"

    /// Opens the store of a folder, and creates it if there is none.
    ///
    /// The file appears under its name complete: tables, keybag and all. A lock file prevents concurrent processes from
    /// creating it twice. This does not wait for other processes: see ``KeychainError/isBusy``.
    ///
    /// - Parameters:
    ///   - folder: the keychain's folder.
    ///   - options: the settings.
    ///   - makeKeybag: returns the keybag of a new store; called only if there is none, and no other process creates
    ///     one.
    /// - Returns: The store.
    /// - Throws: `errSecNotAvailable` with the reason, or the errors of `makeKeybag`.
    package static func open(
        in folder: PrivateDirectory,
        options: StoreOptions,
        makeKeybag: () throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) -> Store {
        try checkLibrary()
        let place: StorePlace
        do { place = try StorePlace(folder, options) } catch { throw KeychainError(error) }
        do throws(KeychainError) {
            if try exists(in: folder) { return try Store(in: folder, options: options, place: place) }
            if case .foreign(let kind) = place { throw KeychainError(.sharedFolder(path: folder.path, kind: kind)) }
            let lock = try lock(folder, until: Deadline(milliseconds: 0))
            // Another process may have created the store before it released the lock.
            if try !exists(in: folder) {
                let keybag = try makeKeybag()
                try create(in: folder, options, place, keybag: keybag)
            }
            let store = try Store(in: folder, options: options, place: place)
            _ = consume lock
            return store
        } catch {
            place.hostLock?.release()
            throw error
        }
    }

    /// Refuses an SQLite that lacks what a store needs, before anything is created.
    static func checkLibrary() throws(KeychainError) {
        do { try SQLiteLibrary.check() } catch { throw KeychainError(error) }
    }

    /// Whether the folder has a store.
    package static func exists(in folder: PrivateDirectory) throws(KeychainError) -> Bool {
        do { return try folder.hasFile(fileName) } catch { throw KeychainError(StoreError.file(error)) }
    }

    /// The lock for creating a store, and for replacing its root key.
    package static func lock(_ folder: PrivateDirectory, until deadline: Deadline) throws(KeychainError) -> FileLock {
        do {
            return try FileLock(lockName, in: folder, until: deadline)
        } catch {
            throw KeychainError(StoreError.file(error))
        }
    }

    /// A store in memory, which ends with the object.
    package convenience init(inMemoryWithKeybag keybag: [UInt8]) throws(KeychainError) {
        try self.init()
        try begin(withKeybag: keybag)
    }

    /// A store in memory without rows and without a keybag, of at most so many MiB if a number is given.
    package init(largestMebibytes: Int? = nil) throws(KeychainError) {
        watched = nil
        var options = StoreOptions()
        options.largestMebibytes = largestMebibytes
        self.options = options
        do throws(SQLiteError) {
            connection = try MemoryImage.connection()
            try connection.limit(options)
        } catch {
            throw KeychainError(error)
        }
        (reader, writer) = (RowReader(connection), RowWriter(connection))
    }

    private convenience init(
        in folder: PrivateDirectory,
        options: StoreOptions,
        place: StorePlace
    ) throws(KeychainError) {
        do { try self.init(opening: folder, options, place) } catch { throw KeychainError(error) }
    }

    private init(opening folder: PrivateDirectory, _ options: StoreOptions, _ place: StorePlace) throws(StoreError) {
        let watched = try WatchedFile(folder, place)
        try Self.refuseUnreleased(watched.path)
        try Self.refuseMissingLog(watched, in: folder, options)
        self.watched = watched
        self.options = options
        do throws(SQLiteError) {
            connection =
                watched.isUnchanging
                ? try SQLiteConnection(asItLies: watched.path) : try place.connection(to: watched.path)
            try connection.limit(options)
        } catch {
            throw StoreError(opening: error, path: watched.path)
        }
        connection.indexesGroups = true
        (reader, writer) = (RowReader(connection), RowWriter(connection))
        do throws(StoreError) { try checkFormat(watched) } catch {
            // Before the holder of the lock for all hosts releases it.
            connection.close()
            throw error
        }
        hostLock = place.hostLock
    }

    deinit { closeUnderHostLock() }

    /// The bytes of the keybag.
    package func keybag() throws(KeychainError) -> [UInt8] {
        try read { (reader) throws(KeychainError) in try reader.keybag() }
    }

    /// Which file this store opened; `nil` for one in memory.
    package var file: FileIdentity? { watched?.identity }

    /// Whether the file that this store opened is still the one at its path.
    package var isCurrent: Bool { !hasOtherVersion && watched?.isCurrent() ?? true }

    /// Whether other hosts wait until this store is closed.
    package var isUnderHostLock: Bool { hostLock != nil }

    /// Closes a store that other hosts wait for; no other one.
    func closeUnderHostLock() {
        guard let lock = hostLock.take() else { return }
        connection.close()
        lock.release()
    }

    /// The condition that prevents rows from being changed, for tests.
    package var condition = StoreCondition.healthy {
        didSet { writer = condition.writers.init(connection) }
    }

    /// Counts the bytes of each row that a search reads, and returns whether it may be read; `nil` for no limit.
    package var reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)? {
        get { connection.reserveMemory }
        set { connection.reserveMemory = newValue }
    }

    /// The changes of several calls that are under way as one; see ``beginGroup()``.
    var group: Group?

    private let reader: RowReader
    private var writer: RowWriter

    /// Runs `body` on one state of the store.
    ///
    /// A state lasts for as long as a statement is in progress that reads it (sqlite.org/isolation.html): that of the
    /// version.
    package func read<Result>(
        _ body: (RowReader) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        connection.hasChangedDevice = false
        return try withVersion { (version) throws(KeychainError) in
            try check(version)
            return try body(reader)
        }
    }

    /// Runs `body` as one change: durable when this returns, undone when it throws.
    package func write<Result>(
        _ body: (RowWriter) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        if group != nil { return try writeInGroup { () throws(KeychainError) in try body(writer) } }
        try begin()
        do throws(KeychainError) {
            let result = try body(writer)
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction that may change rows.
    func begin() throws(KeychainError) {
        if let watched, let kind = watched.sharedKind {
            throw KeychainError(.sharedFolder(path: watched.path, kind: kind))
        }
        do { try connection.begin() } catch { throw KeychainError(error) }
        connection.hasChangedDevice = false
        connection.hasChangedVersion = false
        connection.hasManyRows = false
        connection.hasUnlistedLookups = false
        connection.rowChanges = rowObservers?.areThere() ?? false ? RowChanges() : nil
        do throws(KeychainError) {
            try refuseSeveralNames()
            try checkVersion()
            connection.hasLookupLists = fileVersion.mayUse(.lookupAttributes) ? nil : false
            connection.keepsHistory = fileVersion.mayUse(.history) ? nil : false
        } catch {
            rollBack()
            throw error
        }
    }

    /// Refuses to change a file that has several names.
    ///
    /// This is checked inside the transaction; the next one detects a name that is added after the check.
    func refuseSeveralNames() throws(KeychainError) {
        guard let watched, watched.hasOtherNames else { return }
        throw KeychainError(StoreError.severalNames(path: watched.path))
    }

    /// Runs `body` with the version of the file, while the statement that reads it is under way.
    private func withVersion<Result>(
        _ body: (Int64) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let statement: SQLiteStatement
        do {
            statement = try connection.statement(.version, "PRAGMA user_version")
        } catch {
            throw KeychainError(error)
        }
        defer { statement.reset() }
        let version: Int64
        do { version = try statement.step() ? statement.integer(0) : 0 } catch { throw KeychainError(error) }
        return try body(version)
    }

    /// Checks the version in a transaction that may change rows, unless nothing was changed since it was checked.
    private func checkVersion() throws(KeychainError) {
        let state = connection.state
        if state != nil, connection.checkedState == state { return }
        try withVersion(check)
        try checkDeclarations()
        try checkWriter()
        connection.checkedState = state
    }

    /// The declarations were compared when the file was opened.
    private func checkDeclarations() throws(KeychainError) {
        guard watched != nil else { return }
        let number = try sql { () throws(SQLiteError) in try connection.declarationsNumber() }
        guard number != declarationsNumber else { return }
        hasOtherVersion = true
        throw KeychainError(StoreError.changedVersion)
    }

    /// Goes on with the version and the declarations that a change of this store gave it.
    func adoptOwnVersion() {
        guard connection.hasChangedVersion else { return }
        connection.hasChangedVersion = false
        do throws(SQLiteError) {
            let version = try recordedVersion()
            try updateDeclarationsNumber()
            let change = StoreVersionChange(from: fileVersion, to: version)
            fileVersion = version
            if change.former != change.version { onVersionChange?(change) }
        } catch {
            // The next call opens it again.
            hasOtherVersion = true
        }
    }

    /// Goes by what the file declares now.
    private func updateDeclarationsNumber() throws(SQLiteError) {
        declarationsNumber = try connection.declarationsNumber()
    }

    /// Another program may have migrated the store since it was opened; then it is not read by what was known of it.
    private func check(_ recorded: Int64) throws(KeychainError) {
        if recorded == fileVersion.recorded { return }
        let version = FileVersion(recorded: recorded)
        guard Int64(version.version) >= Layout.firstVersion else {
            throw KeychainError(StoreError.neverReleased(path: watched?.path ?? "", version: recorded))
        }
        hasOtherVersion = true
        throw KeychainError(version.canBeRead() ? .changedVersion : .newer(version))
    }

    /// Refuses to change a store that this program may only read.
    private func checkWriter() throws(KeychainError) {
        if fileVersion.canBeChanged() { return }
        guard hasFormerTables else { throw KeychainError(StoreError.newerWriter(fileVersion)) }
        let failure = KeychainError(StoreError.notMigrated(obstacle?.reason ?? "it was not tried"))
        guard let obstacle else { throw failure }
        throw KeychainError(obstacle.status, failure.reason, kind: obstacle.kind, facts: obstacle.facts)
    }

    func run(_ kind: FixedStatement, _ sql: String) throws(KeychainError) {
        do { try connection.run(kind, sql) } catch { throw KeychainError(error) }
    }

    // Some errors make SQLite roll back by itself; then there is nothing left to roll back.
    func rollBack() {
        connection.forgetFeatures()
        connection.rowChanges = nil
        if connection.isInTransaction { try? run(.rollback, "ROLLBACK") }
    }

    /// Empties the log, so that replaced or deleted data is no longer in any file.
    ///
    /// - Returns: Whether it is empty; `false` if another connection reads or writes. A store in memory has no log.
    package func eraseLog() throws(KeychainError) -> Bool {
        connection.setBusyTimeout(milliseconds: Self.eraseTimeoutMilliseconds)
        defer { connection.setBusyTimeout(milliseconds: 0) }
        do throws(SQLiteError) {
            return try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
        } catch {
            if error.isBusy { return false }
            throw KeychainError(error)
        }
    }

    // This does not wait for a long reader: the log is emptied later instead.
    private static let eraseTimeoutMilliseconds: Int32 = 50

    /// SQLite's own check of the file's structure; empty when it is sound.
    ///
    /// - Parameter limit: the number of defects to find; SQLite describes each in a line.
    /// - Returns: The defects, in SQLite's words.
    /// - Throws: ``KeychainError`` if the file cannot be read.
    package func structuralDefects(limit: Int = 100) throws(KeychainError) -> [String] {
        do throws(SQLiteError) {
            return try connection.readingLargeRows { () throws(SQLiteError) in
                try connection.structuralDefects(limit: limit)
            }
        } catch {
            throw KeychainError(error)
        }
    }
}

extension Store {
    /// Format 1 is recognized before SQLite opens the file, so that nothing of it changes.
    private static func refuseUnreleased(_ path: String) throws(StoreError) {
        let header: FileHeader?
        do throws(SQLiteError) { header = try FileHeader(path: path) } catch {
            throw StoreError(opening: error, path: path)
        }
        guard let header, header.applicationIdentifier == Layout.applicationIdentifier,
            (1..<Layout.firstVersion).contains(header.version)
        else { return }
        throw .neverReleased(path: path, version: header.version)
    }

    private func checkFormat(_ file: WatchedFile) throws(StoreError) {
        let path = file.path
        do throws(SQLiteError) {
            guard try connection.integer("PRAGMA application_id") == Layout.applicationIdentifier else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for the mark of a keychain store")
            }
            fileVersion = try recordedVersion()
        } catch {
            throw StoreError(opening: error, path: path)
        }
        // The previous format requires keys, and is migrated by a caller that has them; a revision, by the change that
        // needs it.
        do throws(SQLiteError) { try checkTables() } catch {
            throw StoreError(opening: error, path: path)
        }
        guard hasFormerTables || fileVersion.canBeRead() else { throw .newer(fileVersion) }
        // A store that is read as it is has no log, and SQLite reports none.
        if file.isUnchanging { return }
        do throws(SQLiteError) {
            let mode = try connection.prepare("PRAGMA journal_mode")
            defer { mode.reset() }
            guard try mode.step(), mode.text(0) == "wal" else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "checking the journal mode")
            }
        } catch {
            throw StoreError(opening: error, path: path)
        }
    }

    /// Finds out which tables the file has, and that they are what its version declares.
    private func checkTables() throws(SQLiteError) {
        // Another process may migrate the store at this moment: both values are from one state.
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        fileVersion = try recordedVersion()
        if hasFormerTables {
            connection.tables = ItemTables(version: FileFormat.formerVersion)
        } else if fileVersion.version > FileFormat.version {
            guard fileVersion.canBeRead() else { return }
            try Declarations.checkLater(in: connection)
            connection.tables = try ItemTables(version: fileVersion.version, in: connection)
            return try updateDeclarationsNumber()
        }
        try Declarations.check(.file, fileVersion, in: connection)
        try updateDeclarationsNumber()
    }

    private func recordedVersion() throws(SQLiteError) -> FileVersion {
        let recorded = try connection.integer("PRAGMA user_version")
        guard recorded >= 0 else {
            throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for a version that was released")
        }
        return FileVersion(recorded: recorded)
    }
}
