// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// Faults below SQLite's files, for a test in a process of its own.
package enum FaultyFileSystem {
    /// How many of the next syncs of a log fail, as those of a failing disk do.
    package nonisolated(unsafe) static var failingLogSyncs = 0

    /// What is done before each sync of a log.
    package nonisolated(unsafe) static var beforeLogSync: () -> Void = {}

    /// How many bytes files can still grow by, and the error number of a write beyond them; `nil` for a disk with room.
    package nonisolated(unsafe) static var room: (byteCount: Int, failure: Int32)?

    /// How many of the next writes find no room, whatever they are to.
    package nonisolated(unsafe) static var writesWithoutRoom = 0

    /// What is done before each write to a database, as only a checkpoint does in a store with a log.
    package nonisolated(unsafe) static var beforeDatabaseWrite: () -> Void = {}

    /// What was done to a file of a database.
    package struct Change: Sendable {
        /// Whether it is the log.
        package let isLog: Bool
        /// Whether what was written before is durable now; otherwise something was written, or the file was cut off.
        package let isSync: Bool
    }

    /// What is done after each change of a database or its log that succeeded.
    package nonisolated(unsafe) static var afterChange: (Change) -> Void = { _ in }

    /// Puts the faults below every file that SQLite opens from now on; call it before the first one.
    package static func install() {
        guard let system = sqlite3_vfs_find("unix") else { preconditionFailure("SQLite has no file system") }
        openFile = system.pointee.xOpen
        system.pointee.xOpen = open
        for (name, call) in [("pwrite", writeAt), ("pwrite64", writeAt)] {
            _ = system.pointee.xSetSystemCall(system, name, unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
        }
        _ = system.pointee.xSetSystemCall(system, "write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    }

    /// Makes a file system that opens nothing the default of the process, as a host may make one of its own.
    package static func refuseDefault() {
        guard let system = sqlite3_vfs_find("unix") else { preconditionFailure("SQLite has no file system") }
        let refusing = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        refusing.initialize(to: system.pointee)
        refusing.pointee.pNext = nil
        refusing.pointee.zName = UnsafePointer(strdup("refusing"))
        refusing.pointee.xOpen = { _, _, file, _, _ in
            file?.pointee.pMethods = nil
            return SQLITE_CANTOPEN
        }
        sqlite3_vfs_register(refusing, 1)
    }

    private typealias File = UnsafeMutablePointer<sqlite3_file>
    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, File?, Int32, UnsafeMutablePointer<Int32>?
        ) -> Int32
    private typealias Sync = @convention(c) (File?, Int32) -> Int32
    private typealias WriteFile = @convention(c) (File?, UnsafeRawPointer?, Int32, sqlite3_int64) -> Int32

    private typealias Truncate = @convention(c) (File?, sqlite3_int64) -> Int32

    private nonisolated(unsafe) static var openFile: Open?
    private nonisolated(unsafe) static var syncFile: Sync?
    private nonisolated(unsafe) static var writeFile: WriteFile?
    private nonisolated(unsafe) static var truncateFile: Truncate?

    private static let open: Open = { system, name, file, flags, openedFlags in
        let status = openFile?(system, name, file, flags, openedFlags) ?? SQLITE_MISUSE
        if status == SQLITE_OK, let file { replaceMethods(of: file, flags) }
        return status
    }

    private static let syncLog: Sync = { file, flags in
        beforeLogSync()
        guard failingLogSyncs == 0 else {
            failingLogSyncs -= 1
            // SQLITE_IOERR_FSYNC, a macro that Swift does not import.
            return SQLITE_IOERR | (4 << 8)
        }
        return recordingChange(syncFile?(file, flags), isLog: true, isSync: true)
    }

    private static let syncDatabase: Sync = { file, flags in
        recordingChange(syncFile?(file, flags), isLog: false, isSync: true)
    }

    private static let writeLog: WriteFile = { file, bytes, count, offset in
        recordingChange(writeFile?(file, bytes, count, offset), isLog: true)
    }

    private static let writeDatabase: WriteFile = { file, bytes, count, offset in
        beforeDatabaseWrite()
        return recordingChange(writeFile?(file, bytes, count, offset), isLog: false)
    }

    private static let truncateLog: Truncate = { file, count in recordingChange(truncateFile?(file, count), isLog: true)
    }

    private static func recordingChange(_ status: Int32?, isLog: Bool, isSync: Bool = false) -> Int32 {
        if status == SQLITE_OK { afterChange(Change(isLog: isLog, isSync: isSync)) }
        return status ?? SQLITE_MISUSE
    }

    private static let writeAt: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
        descriptor,
        bytes,
        count,
        offset in
        reserveSpace(descriptor, end: Int(offset) + count) ? pwrite(descriptor, bytes, count, offset) : -1
    }

    private static let write: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = { descriptor, bytes, count in
        let end = Int(lseek(descriptor, 0, SEEK_CUR)) + count
        return reserveSpace(descriptor, end: end) ? Glibc.write(descriptor, bytes, count) : -1
    }

    /// The methods are never let go of: the process ends with its test.
    private static func replaceMethods(of file: File, _ flags: Int32) {
        guard let methods = file.pointee.pMethods else { return }
        let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        copy.initialize(to: methods.pointee)
        (syncFile, writeFile) = (methods.pointee.xSync, methods.pointee.xWrite)
        truncateFile = methods.pointee.xTruncate
        if flags & SQLITE_OPEN_WAL != 0 {
            copy.pointee.xSync = syncLog
            copy.pointee.xWrite = writeLog
            copy.pointee.xTruncate = truncateLog
        }
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            copy.pointee.xSync = syncDatabase
            copy.pointee.xWrite = writeDatabase
        }
        file.pointee.pMethods = UnsafePointer(copy)
    }

    /// Whether a file may grow so far; errno says why not.
    private static func reserveSpace(_ descriptor: Int32, end: Int) -> Bool {
        if writesWithoutRoom > 0 {
            writesWithoutRoom -= 1
            errno = ENOSPC
            return false
        }
        guard let room else { return true }
        var status = stat()
        fstat(descriptor, &status)
        let growth = max(end - Int(status.st_size), 0)
        guard growth <= room.byteCount else {
            errno = room.failure
            return false
        }
        self.room = (room.byteCount - growth, room.failure)
        return true
    }
}
