// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The mark of a database file that its log may hold what the file lacks, so that a copy of the file alone is told from
/// a whole store (Documentation/Format.md, "The log").
///
/// It lies in the header of the file, where SQLite has bytes that it neither uses nor checks
/// (sqlite.org/fileformat2.html, section 1.3, offset 72), and names the file change counter beside which it was
/// written. SQLite increments the counter whenever it writes the first page to the log. So the mark ends by itself when
/// a page from the log takes the place of the first one, whoever writes the log back.
enum LogMark {
    /// How many bytes of a file say whether it is marked.
    static let headerByteCount = 100

    private static let offset = 72
    private static let counter = 24..<28
    private static let name = Array("SKLG".utf8)
    private static let byteCount = 8

    typealias File = UnsafeMutablePointer<sqlite3_file>

    /// Whether the beginning of a file has the mark.
    static func isSet(in header: some RandomAccessCollection<UInt8>) -> Bool {
        let bytes = Array(header.prefix(headerByteCount))
        guard bytes.count == headerByteCount else { return false }
        return bytes[offset..<offset + byteCount].elementsEqual(name + bytes[counter])
    }

    /// Puts the mark into the beginning of a file.
    static func set(in header: UnsafeMutableRawBufferPointer) {
        for (index, byte) in (name + counter.map { header[$0] }).enumerated() { header[offset + index] = byte }
    }

    /// Whether an open file has the mark; `nil` for one that has no header.
    static func isSet(in file: File) -> Bool? {
        var header = [UInt8](repeating: 0, count: headerByteCount)
        guard file.pointee.pMethods?.pointee.xRead(file, &header, Int32(header.count), 0) == SQLITE_OK else {
            return nil
        }
        return isSet(in: header)
    }

    /// Marks an open file, durably.
    ///
    /// - Returns: SQLite's result code.
    static func set(in file: File) -> Int32 {
        guard let methods = file.pointee.pMethods?.pointee else { return SQLITE_MISUSE }
        var header = [UInt8](repeating: 0, count: headerByteCount)
        var status = methods.xRead(file, &header, Int32(header.count), 0)
        guard status == SQLITE_OK else { return status }
        header.withUnsafeMutableBytes { set(in: $0) }
        status = methods.xWrite(file, Array(header[offset..<offset + byteCount]), Int32(byteCount), Int64(offset))
        return status == SQLITE_OK ? methods.xSync(file, SQLITE_SYNC_NORMAL) : status
    }

    /// Takes the mark away; where that is not durable, a whole store with a log that is empty may keep it.
    static func clear(in file: File, _ methods: sqlite3_io_methods) {
        let nothing = [UInt8](repeating: 0, count: byteCount)
        _ = methods.xWrite(file, nothing, Int32(byteCount), Int64(offset))
    }
}
