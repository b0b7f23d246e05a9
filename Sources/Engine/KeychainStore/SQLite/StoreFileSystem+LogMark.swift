// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The only place where files are marked, and where marks end: beneath SQLite, so that no change can bypass it.
///
/// The log comes first: SQLite syncs its header before the first page of a restarted log, and its name with the first
/// sync of the connection that created the file. Then comes the mark, which identifies the log by the salts of the
/// header, and then the change. Finally, the mark is removed before the log is restarted or emptied. So no crash leaves
/// a file whose mark identifies another log than the existing one.
extension StoreFileSystem {
    /// The mark of a database file.
    struct KnownMark {
        /// `nil` if there is none.
        let mark: LogMark?

        /// How many bytes its log has for a page.
        let bytesOfPage: Int64

        /// Whether processes of this host use it, and no other host does.
        var isInLocalUse: Bool

        /// The last known progress of the log; `nil` if it has no index in shared memory.
        let progress: LogProgress?
    }

    /// The progress of a log, from its index: the salts of the log, and how much of it has been written back.
    ///
    /// While both stay the same, so does a mark (sqlite.org/walformat.html, "The WAL-Index File Format"). If a process
    /// was killed after it removed the mark, and before it recorded that the log is in the file, the next changes have
    /// no mark until the log is written back again.
    struct LogProgress: Equatable {
        private let salts: UInt64
        private let pagesWrittenBack: UInt32

        init(_ index: UnsafeRawPointer) {
            salts = index.load(fromByteOffset: 32, as: UInt64.self)
            pagesWrittenBack = index.load(fromByteOffset: 96, as: UInt32.self)
        }
    }

    /// Whether an open database has a log.
    static func hasLog(_ file: File) -> Bool { addition(of: file).pointee.companion != nil }

    /// The mark of an open database file.
    ///
    /// - Returns: SQLite's result code, and the mark.
    static func mark(of file: File) -> (status: Int32, mark: LogMark?) {
        let (status, known) = knownMark(of: file)
        return (status, known?.mark)
    }

    private static func progress(of file: File) -> LogProgress? {
        addition(of: file).pointee.index.map { LogProgress($0) }
    }

    static func readKnownMark(of file: File) -> (status: Int32, mark: KnownMark?) {
        withUnsafeTemporaryAllocation(byteCount: LogMark.headerByteCount, alignment: 8) { header in
            let read = addition(of: file).pointee.original.pointee.xRead
            let status = read?(file, header.baseAddress, Int32(header.count), 0) ?? SQLITE_MISUSE
            guard status == SQLITE_OK else { return (status, nil) }
            let bytes = UnsafeRawBufferPointer(header)
            // sqlite.org/fileformat2.html, section 1.3, offset 16.
            let pageSize = Int64(bytes.number(at: 16, UInt16.self))
            let known = KnownMark(
                mark: LogMark(header: bytes),
                bytesOfPage: Int64(LogBeginning.pageHeaderByteCount) + (pageSize == 1 ? 65_536 : pageSize),
                isInLocalUse: LocalUse.isSet(in: bytes),
                progress: progress(of: file)
            )
            addition(of: file).pointee.mark = known
            return (SQLITE_OK, known)
        }
    }

    static func knownMark(of file: File) -> (status: Int32, mark: KnownMark?) {
        if let known = addition(of: file).pointee.mark, known.mark != nil, known.progress == progress(of: file) {
            return (SQLITE_OK, known)
        }
        return readKnownMark(of: file)
    }

    static let writeToLog: Write = { file, bytes, count, offset in
        guard let file, let bytes else { return SQLITE_MISUSE }
        if let database = addition(of: file).pointee.companion {
            let part = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            var status = beginLocalUse(of: database)
            if status == SQLITE_OK { status = markBeforeWrite(of: part, at: offset, database) }
            guard status == SQLITE_OK else { return withCause(status, database) }
        }
        return withCause(addition(of: file).pointee.original.pointee.xWrite(file, bytes, count, offset), file)
    }

    private static func markBeforeWrite(
        of part: UnsafeRawBufferPointer,
        at offset: sqlite3_int64,
        _ database: File
    ) -> Int32 {
        let isHeader = offset == 0 && part.count == LogBeginning.headerByteCount
        guard isHeader || part.count == LogBeginning.pageHeaderByteCount else { return SQLITE_OK }
        let (status, known) = knownMark(of: database)
        guard status == SQLITE_OK, let known else { return status }
        if isHeader {
            // That of a log which is gone, or in which nothing was when the system crashed.
            guard let mark = known.mark, mark.salts != part.number(at: LogBeginning.saltsOffset, UInt64.self) else {
                return SQLITE_OK
            }
            let cleared = clearMark(of: database)
            return cleared == SQLITE_OK ? sync(database) : cleared
        }
        guard (offset - Int64(LogBeginning.headerByteCount)) % known.bytesOfPage == 0 else { return SQLITE_OK }
        let salts = part.number(at: LogBeginning.saltsOffsetOfPage, UInt64.self)
        // A transaction that has written a page twice leaves salts and checksums of its later pages zero until it ends;
        // its first page marked the file.
        guard salts != 0 else { return SQLITE_OK }
        return known.mark?.salts == salts ? SQLITE_OK : mark(database, known: known, salts: salts)
    }

    /// Marks a file, durably.
    private static func mark(_ file: File, known: KnownMark, salts: UInt64) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: LogMark.headerByteCount, alignment: 8) { header in
            let methods = addition(of: file).pointee.original.pointee
            var status = methods.xRead(file, header.baseAddress, Int32(header.count), 0)
            guard status == SQLITE_OK else { return status }
            let mark = LogMark(of: salts, in: header)
            status = write(header, LogMark.range, to: file)
            guard status == SQLITE_OK else { return status }
            addition(of: file).pointee.mark = KnownMark(
                mark: mark,
                bytesOfPage: known.bytesOfPage,
                isInLocalUse: known.isInLocalUse,
                progress: progress(of: file)
            )
            return sync(file)
        }
    }

    /// Removes the mark.
    ///
    /// Until the file is synced, a crash may restore it.
    static func clearMark(of file: File) -> Int32 {
        addition(of: file).pointee.mark = nil
        return withUnsafeTemporaryAllocation(byteCount: LogMark.headerByteCount, alignment: 8) { header in
            header.initializeMemory(as: UInt8.self, repeating: 0)
            return write(header, LogMark.range, to: file)
        }
    }

    /// Writes a part of a header.
    static func write(_ header: UnsafeMutableRawBufferPointer, _ range: Range<Int>, to file: File) -> Int32 {
        let start = header.baseAddress.map { $0 + range.lowerBound }
        let write = addition(of: file).pointee.original.pointee.xWrite
        return write?(file, start, Int32(range.count), sqlite3_int64(range.lowerBound)) ?? SQLITE_MISUSE
    }

    private static func sync(_ file: File) -> Int32 {
        addition(of: file).pointee.original.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    }

    typealias Truncate = @convention(c) (File?, sqlite3_int64) -> Int32

    /// All of the log is in the file when it is emptied; but an empty log does not count as one, so the mark must not
    /// be restored.
    static let truncateLog: Truncate = { file, count in
        guard let file else { return SQLITE_MISUSE }
        if count == 0, let database = addition(of: file).pointee.companion {
            var (status, mark) = mark(of: database)
            if status == SQLITE_OK, mark != nil { status = clearMark(of: database) }
            if status == SQLITE_OK { status = sync(database) }
            guard status == SQLITE_OK else { return status }
        }
        return addition(of: file).pointee.original.pointee.xTruncate(file, count)
    }

    /// Writes the first page, which a checkpoint found in the log, as that of a file that needs its log still.
    static func writeMarked(_ file: File, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        let addition = addition(of: file)
        let write = addition.pointee.original.pointee.xWrite
        guard let log = addition.pointee.companion else {
            return write?(file, bytes.baseAddress, Int32(bytes.count), 0) ?? SQLITE_MISUSE
        }
        let (status, salts) = salts(of: log)
        guard status == SQLITE_OK else { return status }
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { page.deallocate() }
        page.copyMemory(from: bytes)
        _ = LogMark(of: salts, in: page)
        LocalUse.set(!addition.pointee.isUnderHostLock, in: page)
        addition.pointee.isMarkedByCheckpoint = true
        addition.pointee.mark = nil
        return write?(file, page.baseAddress, Int32(page.count), 0) ?? SQLITE_MISUSE
    }

    private static func salts(of log: File) -> (status: Int32, salts: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: LogBeginning.headerByteCount, alignment: 8) { header in
            let read = addition(of: log).pointee.original.pointee.xRead
            let status = read?(log, header.baseAddress, Int32(header.count), 0) ?? SQLITE_MISUSE
            guard status == SQLITE_OK else { return (status, 0) }
            return (status, UnsafeRawBufferPointer(header).number(at: LogBeginning.saltsOffset, UInt64.self))
        }
    }
}
