// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// Marks a database file as in use by processes of the host that has it on its own disk.
///
/// They use shared memory and kernel locks, so that no other host may start to use it (``StorePlace``).
///
/// It follows the ``LogMark``, and becomes invalid in the same way: it is the file change counter, modified.
enum LocalUse {
    /// Its offset in a file.
    static let range = 88..<92

    private static let counterOffset = 24
    private static let alteration: UInt32 = 0x534B_4C55

    /// Whether the beginning of a file has the mark.
    static func isSet(in header: UnsafeRawBufferPointer) -> Bool {
        header.count >= LogMark.headerByteCount
            && header.number(at: range.lowerBound, UInt32.self) == value(beside: header)
    }

    /// Writes the mark to the start of a file, or removes it.
    static func set(_ isSet: Bool, in header: UnsafeMutableRawBufferPointer) {
        let value = isSet ? value(beside: UnsafeRawBufferPointer(header)) : 0
        header.storeBytes(of: value.bigEndian, toByteOffset: range.lowerBound, as: UInt32.self)
    }

    private static func value(beside header: UnsafeRawBufferPointer) -> UInt32 {
        header.number(at: counterOffset, UInt32.self) ^ alteration
    }
}

/// The marks by which processes of the host with the disk announce that they change a database (``LocalUse``).
extension StoreFileSystem {
    /// Begins to change the files of a database as a process of the host that has them on its own disk.
    ///
    /// It runs before any change, and the caller holds the write lock.
    ///
    /// First the file is marked, and only then is it checked whether hosts share it; another host that starts to use it
    /// does both in the opposite order (``StorePlace``). So one of the two detects the other.
    ///
    /// - Returns: SQLite's result code; `SQLITE_BUSY` if hosts have started to share the database.
    static func beginLocalUse(of file: File) -> Int32 {
        guard !addition(of: file).pointee.isUnderHostLock else { return SQLITE_OK }
        let (status, known) = knownMark(of: file)
        guard status == SQLITE_OK, let known, !known.isInLocalUse else { return status }
        let isRecorded = recordLocalUse(true, of: file)
        guard isRecorded == SQLITE_OK, isShared(file) else { return isRecorded }
        _ = recordLocalUse(false, of: file)
        return SQLITE_BUSY
    }

    /// Ends it, if all of the log is in the file.
    static func endLocalUse(of file: File) {
        if let known = readKnownMark(of: file).mark, known.isInLocalUse, known.mark == nil {
            _ = recordLocalUse(false, of: file)
        }
    }

    private static func recordLocalUse(_ isInUse: Bool, of file: File) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: LogMark.headerByteCount, alignment: 8) { header in
            let read = addition(of: file).pointee.original.pointee.xRead
            var status = read?(file, header.baseAddress, Int32(header.count), 0) ?? SQLITE_MISUSE
            guard status == SQLITE_OK else { return status }
            LocalUse.set(isInUse, in: header)
            status = write(header, LocalUse.range, to: file)
            if status == SQLITE_OK { addition(of: file).pointee.mark?.isInLocalUse = isInUse }
            return status
        }
    }

    /// Whether the folder of a database is marked as shared by hosts.
    private static func isShared(_ file: File) -> Bool {
        guard let name = addition(of: file).pointee.name else { return false }
        let folder = String(cString: name).split(separator: "/", omittingEmptySubsequences: false).dropLast()
        var status = stat()
        return lstat("\(folder.joined(separator: "/"))/\(StorePlace.sharedMark)", &status) == 0
    }
}
