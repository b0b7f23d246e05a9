// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The header on the first page of a database (sqlite.org/fileformat2.html, section 1.3).
///
/// It is read before SQLite opens the database, because opening could create files next to it, or play a log back into
/// it.
struct FileHeader {
    /// `PRAGMA application_id`.
    let applicationIdentifier: Int64

    /// `PRAGMA user_version`, as it was when the log was last carried into the file.
    let version: Int64

    /// The log that may contain what the file lacks; `nil` if the file is the whole database.
    let mark: LogMark?

    /// Whether it is in use by processes of the host that has it on its own disk.
    let isInLocalUse: Bool

    /// Reads the header of a file; `nil` for a file that is too short to have one.
    ///
    /// It is read through SQLite's own handle: closing another one would drop the locks that this process has on the
    /// file.
    init?(path: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let status = StoreFileSystem.open(path, into: &handle, flags: flags)
        defer { sqlite3_close_v2(handle) }
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard status == SQLITE_OK,
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { throw SQLiteError(code: status, operation: "opening the file") }
        var bytes = [UInt8](repeating: 0, count: LogMark.headerByteCount)
        guard read(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK, bytes.starts(with: Self.mark) else { return nil }
        func integer(at offset: Int) -> Int64 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
        version = integer(at: 60)
        applicationIdentifier = integer(at: 68)
        mark = bytes.withUnsafeBytes { LogMark(header: $0) }
        isInLocalUse = bytes.withUnsafeBytes { LocalUse.isSet(in: $0) }
    }

    /// Whether a database has as many bytes as its header says; true for bytes that are not a database.
    ///
    /// SQLite ignores bytes after the last page, which would stay in memory.
    static func isSize(of image: [UInt8]) -> Bool {
        guard image.count >= LogMark.headerByteCount, image.starts(with: mark) else { return true }
        func integer(_ bytes: Range<Int>) -> Int { image[bytes].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = integer(16..<18)
        return image.count == (pageSize == 1 ? 65_536 : pageSize) * integer(28..<32)
    }

    static let mark = Array("SQLite format 3\0".utf8)
}
