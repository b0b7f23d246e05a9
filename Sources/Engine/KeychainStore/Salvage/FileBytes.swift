// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// The bytes of a file that need not be a database, read in parts.
struct FileBytes {
    /// How many bytes the file has.
    let count: Int

    private let readBytes: (_ offset: Int, _ count: Int) -> [UInt8]

    /// A file by what reads it.
    init(count: Int, _ read: @escaping (_ offset: Int, _ count: Int) -> [UInt8]) {
        self.count = count
        readBytes = read
    }

    /// Bytes in memory.
    init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { Array(bytes[$0..<$0 + $1]) }
    }

    /// As many bytes as there are from an offset on, at most `count`.
    func read(at offset: Int, _ count: Int) -> [UInt8] {
        guard offset >= 0, count > 0, offset < self.count else { return [] }
        return readBytes(offset, min(count, self.count - offset))
    }

    /// A file beside a database, such as its log; `nil` if there is none, or it is not a file.
    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = OpenedFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(count: Int(status.st_size)) { file.read(at: $0, $1) }
    }

    /// A database file.
    ///
    /// It is read through SQLite's own handle: closing another one would drop the locks that this process has on the
    /// file.
    init(database path: String) throws(SQLiteError) {
        let handle = try DatabaseHandle(path)
        var size: sqlite3_int64 = 0
        let status = handle.methods.xFileSize(handle.file, &size)
        guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: "reading the size of the file") }
        self.init(count: Int(size)) { handle.read(at: $0, $1) }
    }
}

private final class OpenedFile {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func read(at offset: Int, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + initialized },
                    count - initialized,
                    off_t(offset + initialized)
                )
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                initialized += got
            }
        }
    }
}

/// SQLite's handle of a file that it has not looked at.
private final class DatabaseHandle {
    private let connection: OpaquePointer?
    let file: UnsafeMutablePointer<sqlite3_file>
    let methods: sqlite3_io_methods

    init(_ path: String) throws(SQLiteError) {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let status = StoreFileSystem.open(path, into: &connection, flags: flags)
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard status == SQLITE_OK,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods
        else {
            sqlite3_close_v2(connection)
            throw SQLiteError(code: status, operation: "opening the file")
        }
        self.connection = connection
        self.file = file
        self.methods = methods.pointee
    }

    deinit { sqlite3_close_v2(connection) }

    /// What the disk does not return is zeros, as SQLite fills it.
    func read(at offset: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        _ = methods.xRead(file, &bytes, Int32(count), sqlite3_int64(offset))
        return bytes
    }
}
