// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// SQLite's own file system, narrowed to what a store needs (sqlite.org/vfs.html).
///
/// * There is no rollback journal. A store has a write-ahead log, and no other journal; so SQLite always finds none to
/// open, even if there is a file of that name. It would play the journal back into the file, and delete the file that
/// the journal names.
/// * A checkpoint holds the write lock. In SQLite 3.7.0 to 3.51.2, a checkpoint that runs while another connection
/// restarts the log can record parts of the new log as written back that are not (sqlite.org/wal.html, "The WAL-Reset
/// Bug"). The log is restarted only under the write lock, which prevents that.
/// * A file is marked (``LogMark``) before any part of a transaction is written to its log, by any connection, until
/// all of the log is durably in the file.
/// * A file under a lock for all hosts (``HostLock``) takes no locks of this host: no other process needs them, and a
/// network file system may refuse them. Any other file is marked as in use here (``LocalUse``) before it or its log is
/// changed.
/// * Writes that fail for lack of space all fail alike, for any limit: SQLite itself treats only ENOSPC as a full disk.
///
/// The default file system of the process is not used: a host program may have replaced it.
enum StoreFileSystem {
    private static let name = "swift-keychain"

    /// The result code of making it known to SQLite, which happens once.
    private static let registration: Int32 = {
        guard let original, let name = strdup(name) else { return SQLITE_NOMEM }
        let narrowed = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        narrowed.initialize(to: original)
        narrowed.pointee.iVersion = min(original.iVersion, knownVersion)
        narrowed.pointee.pNext = nil
        narrowed.pointee.zName = UnsafePointer(name)
        narrowed.pointee.szOsFile = Int32(additionOffset + MemoryLayout<Addition>.size)
        narrowed.pointee.xOpen = openFile
        narrowed.pointee.xAccess = access
        return sqlite3_vfs_register(narrowed, 0)
    }()

    /// Opens a database in it; as sqlite3_open_v2.
    static func open(_ path: String, into handle: UnsafeMutablePointer<OpaquePointer?>, flags: Int32) -> Int32 {
        registration == SQLITE_OK ? sqlite3_open_v2(path, handle, flags, name) : registration
    }

    // A later SQLite may have additional members after those that are copied.
    private static let knownVersion: Int32 = 3

    // Read once, before the first connection, and never changed.
    private nonisolated(unsafe) static let original: sqlite3_vfs? = sqlite3_vfs_find("unix")?.pointee

    /// The data after the original's part of an open file.
    struct Addition {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
        var holdsWriteLockForCheckpoint = false
        var isMarkedByCheckpoint = false
        var isUnderHostLock = false

        /// The path of a database, which SQLite keeps for as long as the file is open.
        var name: UnsafePointer<CChar>?

        /// Of a log, its database; of a database, its log.
        var companion: File?

        /// The mark of a database, as it was when it was looked at.
        var mark: KnownMark?

        /// The beginning of the index of a database's log, in shared memory.
        var index: UnsafeRawPointer?
    }

    /// The parameter of a name (sqlite.org/uri.html) by which a file is opened under a lock that all hosts see.
    static let hostLockParameter = "keychain-host-lock"

    typealias File = UnsafeMutablePointer<sqlite3_file>

    private static var additionOffset: Int {
        let alignment = MemoryLayout<Addition>.alignment
        return (Int(original?.szOsFile ?? 0) + alignment - 1) / alignment * alignment
    }

    static func addition(of file: File) -> UnsafeMutablePointer<Addition> {
        (UnsafeMutableRawPointer(file) + additionOffset).assumingMemoryBound(to: Addition.self)
    }

    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, File?, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32

    private static let openFile: Open = { system, name, file, flags, openedFlags in
        guard let file, flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) == 0 else {
            file?.pointee.pMethods = nil
            return SQLITE_CANTOPEN
        }
        let status = original?.xOpen(system, name, file, flags, openedFlags) ?? SQLITE_MISUSE
        guard status == SQLITE_OK, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0,
            let methods = file.pointee.pMethods
        else { return status }
        let addition = addition(of: file)
        addition.initialize(
            to: Addition(methods: methods.pointee, original: methods)
        )
        addition.pointee.methods.iVersion = min(methods.pointee.iVersion, knownVersion)
        addition.pointee.methods.xWrite = write
        if flags & SQLITE_OPEN_WAL != 0, let name, let database = sqlite3_database_file_object(name) {
            addition.pointee.companion = database
            StoreFileSystem.addition(of: database).pointee.companion = file
            addition.pointee.methods.xWrite = writeToLog
            addition.pointee.methods.xTruncate = truncateLog
        }
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            addition.pointee.methods.xSync = syncDatabase
            addition.pointee.name = name
            if let name, sqlite3_uri_boolean(name, hostLockParameter, 0) != 0 {
                addition.pointee.isUnderHostLock = true
                addition.pointee.methods.xLock = { _, _ in SQLITE_OK }
                addition.pointee.methods.xUnlock = { _, _ in SQLITE_OK }
                addition.pointee.methods.xCheckReservedLock = { _, isReserved in
                    isReserved?.pointee = 0
                    return SQLITE_OK
                }
            }
        }
        if methods.pointee.iVersion >= 2 {
            addition.pointee.methods.xShmMap = mapIndex
            addition.pointee.methods.xShmUnmap = unmapIndex
            addition.pointee.methods.xShmLock = lockIndex
        }
        file.pointee.pMethods = UnsafeRawPointer(addition).assumingMemoryBound(to: sqlite3_io_methods.self)
        return status
    }

    private typealias Access =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32

    private static let access: Access = { system, name, flags, result in
        if let name, String(cString: name).hasSuffix("-journal") {
            result?.pointee = 0
            return SQLITE_OK
        }
        return original?.xAccess(system, name, flags, result) ?? SQLITE_MISUSE
    }

    typealias Write = @convention(c) (File?, UnsafeRawPointer?, Int32, sqlite3_int64) -> Int32

    private static let write: Write = { file, bytes, count, offset in
        guard let file else { return SQLITE_MISUSE }
        let isFirstPage = offset == 0 && count >= LogMark.headerByteCount
        if isFirstPage, let bytes, isOfCheckpoint(addition(of: file).pointee, bytes) {
            return withCause(writeMarked(file, UnsafeRawBufferPointer(start: bytes, count: Int(count))), file)
        }
        return withCause(addition(of: file).pointee.original.pointee.xWrite(file, bytes, count, offset), file)
    }

    /// The result of a write that SQLite receives.
    static func withCause(_ status: Int32, _ file: File) -> Int32 {
        guard status == writeFailed else { return status }
        var cause: Int32 = 0
        _ = addition(of: file).pointee.original.pointee.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &cause)
        return isOutOfSpace(cause) ? SQLITE_FULL : status
    }

    /// Whether a checkpoint writes the first page.
    ///
    /// If the index of the log is only in this process, SQLite takes no lock for one; but it writes nothing else to a
    /// file with a log, and the page records that it has one (sqlite.org/fileformat2.html, section 1.3, offset 18).
    private static func isOfCheckpoint(_ addition: Addition, _ page: UnsafeRawPointer) -> Bool {
        if addition.holdsWriteLockForCheckpoint { return true }
        return addition.isUnderHostLock && page.load(fromByteOffset: 18, as: UInt8.self) == 2
    }

    private typealias Sync = @convention(c) (File?, Int32) -> Int32

    /// A checkpoint syncs the file once, when all of the log is in it.
    private static let syncDatabase: Sync = { file, flags in
        guard let file else { return SQLITE_MISUSE }
        let addition = addition(of: file)
        let status = addition.pointee.original.pointee.xSync(file, flags)
        // Another connection may have started what this one completes.
        let isCheckpoint =
            addition.pointee.holdsWriteLockForCheckpoint
            || addition.pointee.isUnderHostLock && addition.pointee.isMarkedByCheckpoint
        if status == SQLITE_OK, isCheckpoint {
            addition.pointee.isMarkedByCheckpoint = false
            _ = clearMark(of: file)
        }
        return status
    }

    private typealias MapIndex =
        @convention(c) (
            File?, Int32, Int32, Int32, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Int32

    private static let mapIndex: MapIndex = { file, page, pageSize, mayGrow, memory in
        guard let file else { return SQLITE_MISUSE }
        let status = addition(of: file).pointee.original.pointee.xShmMap(file, page, pageSize, mayGrow, memory)
        if page == 0 { addition(of: file).pointee.index = memory?.pointee.map { UnsafeRawPointer($0) } }
        return status == indexFailed && isOutOfSpace(errno) ? SQLITE_FULL : status
    }

    private typealias UnmapIndex = @convention(c) (File?, Int32) -> Int32

    private static let unmapIndex: UnmapIndex = { file, deletes in
        guard let file else { return SQLITE_MISUSE }
        addition(of: file).pointee.index = nil
        return addition(of: file).pointee.original.pointee.xShmUnmap(file, deletes)
    }

    private typealias LockIndex = @convention(c) (File?, Int32, Int32, Int32) -> Int32

    private static let lockIndex: LockIndex = { file, lock, count, flags in
        guard let file else { return SQLITE_MISUSE }
        let addition = addition(of: file)
        let original = addition.pointee.original.pointee
        let isUnlocking = flags & SQLITE_SHM_UNLOCK != 0
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        switch (lock, count) {
        case (checkpointLock, 1) where isExclusive && isUnlocking:
            if addition.pointee.holdsWriteLockForCheckpoint {
                addition.pointee.holdsWriteLockForCheckpoint = false
                endLocalUse(of: file)
                _ = original.xShmLock(file, writeLock, 1, flags)
            }
            return original.xShmLock(file, lock, count, flags)
        case (checkpointLock, 1) where isExclusive:
            // In the order in which SQLite itself takes them, and before it reads anything under them.
            var status = original.xShmLock(file, lock, count, flags)
            guard status == SQLITE_OK else { return status }
            status = original.xShmLock(file, writeLock, 1, flags)
            if status == SQLITE_OK {
                status = beginLocalUse(of: file)
                if status != SQLITE_OK {
                    _ = original.xShmLock(file, writeLock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
                }
            }
            addition.pointee.holdsWriteLockForCheckpoint = status == SQLITE_OK
            if status != SQLITE_OK {
                _ = original.xShmLock(file, lock, count, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
            }
            return status
        // A checkpoint that empties the log requests the write lock by itself.
        case (writeLock, 1) where isExclusive && addition.pointee.holdsWriteLockForCheckpoint: return SQLITE_OK
        default: return original.xShmLock(file, lock, count, flags)
        }
    }

    /// The locks of a log's index by their numbers (sqlite.org/walformat.html, "WAL Locks").
    private static let writeLock: Int32 = 0
    private static let checkpointLock: Int32 = 1

    // SQLITE_IOERR_WRITE and SQLITE_IOERR_SHMSIZE, macros that Swift does not import.
    private static let writeFailed = SQLITE_IOERR | (3 << 8)
    private static let indexFailed = SQLITE_IOERR | (19 << 8)

    /// Whether a write error reports a lack of space: on the disk, in the user's quota, or by the process's limit.
    private static func isOutOfSpace(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}
