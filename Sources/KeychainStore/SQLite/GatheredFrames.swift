// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// The frames of a transaction that are not in the log yet.
///
/// SQLite writes each frame in two parts, at offsets that are no multiples of a block; a file system may take longer
/// for these than for the sync (Architecture, "The store"). So what is appended to the log is kept until the frame of
/// a commit is complete, the one whose header has the size of the database (sqlite.org/fileformat.html, "The WAL File
/// Format"), or until something else is done with the log. Nobody reads frames that were not committed but the
/// connection that writes them.
struct GatheredFrames {
    private(set) var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0

    /// Where the log ends for the transaction under way; `nil` before its first write.
    private var end: sqlite3_int64?

    /// Whether the frame that was begun last is that of a commit.
    private var isCommit = false

    /// Whether they are to be written now.
    private(set) var isComplete = false

    var isEmpty: Bool { count == 0 }

    /// Where the first of them belongs.
    var offset: sqlite3_int64 { (end ?? 0) - sqlite3_int64(count) }

    /// Adds what SQLite writes.
    ///
    /// - Returns: Whether it was added. It is not where it is not the end of the log, or there is no room for it:
    ///   then the others are to be written first.
    mutating func append(_ part: UnsafeRawPointer, _ partCount: Int, at offset: sqlite3_int64) -> Bool {
        guard canContinue(at: offset), let bytes = room(for: partCount) else { return false }
        (bytes + count).copyMemory(from: part, byteCount: partCount)
        count += partCount
        end = offset + sqlite3_int64(partCount)
        if partCount == Self.headerSize {
            isCommit = part.loadUnaligned(fromByteOffset: Self.databaseSizeOffset, as: UInt32.self) != 0
        } else {
            isComplete = isCommit
        }
        return true
    }

    /// Whether what is written there is the end of the log.
    func canContinue(at offset: sqlite3_int64) -> Bool { end == nil || end == offset }

    /// Whether a part of the log is, or may be, among them.
    func overlap(_ offset: sqlite3_int64, _ partCount: Int) -> Bool {
        count > 0 && offset + sqlite3_int64(partCount) > self.offset
    }

    /// Notes that they were written.
    mutating func removeAll() { (count, isComplete) = (0, false) }

    /// Ends the transaction: what was not written is not wanted any more.
    mutating func forget() { (count, end, isCommit, isComplete) = (0, nil, false, false) }

    mutating func deallocate() {
        forget()
        free(bytes)
        (bytes, capacity) = (nil, 0)
    }

    /// The memory, with room for as many more bytes.
    private mutating func room(for partCount: Int) -> UnsafeMutableRawPointer? {
        if count + partCount <= capacity { return bytes }
        guard count + partCount <= Self.limit else { return nil }
        let larger = min(max(2 * capacity, Self.leastCapacity, count + partCount), Self.limit)
        guard let new = realloc(bytes, larger) else { return nil }
        (bytes, capacity) = (new, larger)
        return new
    }

    // About 30 frames, those of five items; SQLite's own file system writes no more at a time.
    private static let limit = (1 << 17) - 1
    private static let leastCapacity = 1 << 15

    /// The size of a frame's header, and where in it the size of the database is.
    private static let headerSize = 24
    private static let databaseSizeOffset = 4
}

// MARK: - File

extension StoreFileSystem {
    /// Sets the methods of a log that was opened.
    static func gatherFrames(ofLog log: File, _ database: File) {
        // Otherwise SQLite divides frames where a sector ends.
        let properties = addition(of: database).pointee.original.pointee.xDeviceCharacteristics(database)
        guard properties & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0 else { return }
        let addition = addition(of: log)
        addition.pointee.methods.xWrite = append
        addition.pointee.methods.xRead = read
        addition.pointee.methods.xTruncate = truncate
        addition.pointee.methods.xSync = sync
        addition.pointee.methods.xFileSize = size
        addition.pointee.methods.xClose = close
        addition.pointee.counterpart = database
        self.addition(of: database).pointee.counterpart = log
    }

    /// Drops what a transaction that ends has left, because it failed.
    ///
    /// With `locking_mode = EXCLUSIVE`, which no store has, SQLite would not give up the lock that tells of the end.
    static func forgetFrames(ofDatabase file: File) {
        guard let log = addition(of: file).pointee.counterpart else { return }
        addition(of: log).pointee.frames.forget()
    }

    private static let append: Write = { file, bytes, count, offset in
        guard let file, let bytes else { return SQLITE_MISUSE }
        let addition = addition(of: file)
        if !addition.pointee.frames.append(bytes, Int(count), at: offset) {
            let status = writeFrames(of: file)
            guard status == SQLITE_OK else { return status }
            guard addition.pointee.frames.append(bytes, Int(count), at: offset) else {
                return addition.pointee.frames.canContinue(at: offset)
                    ? SQLITE_NOMEM : write(file, bytes, count, offset)
            }
        }
        return addition.pointee.frames.isComplete ? writeFrames(of: file) : SQLITE_OK
    }

    private static func writeFrames(of file: File) -> Int32 {
        let addition = addition(of: file)
        let frames = addition.pointee.frames
        guard !frames.isEmpty else { return SQLITE_OK }
        let status = write(file, frames.bytes, Int32(frames.count), frames.offset)
        if status == SQLITE_OK { addition.pointee.frames.removeAll() }
        return status
    }

    /// Runs `body` when the log is as it would be without gathering.
    private static func written(_ file: File?, _ body: (File, sqlite3_io_methods) -> Int32) -> Int32 {
        guard let file else { return SQLITE_MISUSE }
        let status = writeFrames(of: file)
        return status == SQLITE_OK ? body(file, addition(of: file).pointee.original.pointee) : status
    }

    private typealias Read = @convention(c) (File?, UnsafeMutableRawPointer?, Int32, sqlite3_int64) -> Int32

    // A transaction that could not be written reads what is committed to undo itself. If that tried the write again and
    // there were room now, the change would come true after a restart.
    private static let read: Read = { file, bytes, count, offset in
        guard let file else { return SQLITE_MISUSE }
        let addition = addition(of: file)
        guard addition.pointee.frames.overlap(offset, Int(count)) else {
            return addition.pointee.original.pointee.xRead(file, bytes, count, offset)
        }
        return written(file) { $1.xRead($0, bytes, count, offset) }
    }

    private static let truncate: @convention(c) (File?, sqlite3_int64) -> Int32 = { file, size in
        written(file) { $1.xTruncate($0, size) }
    }

    private static let sync: @convention(c) (File?, Int32) -> Int32 = { file, flags in
        written(file) { $1.xSync($0, flags) }
    }

    private static let size: @convention(c) (File?, UnsafeMutablePointer<sqlite3_int64>?) -> Int32 = { file, size in
        written(file) { $1.xFileSize($0, size) }
    }

    private static let close: @convention(c) (File?) -> Int32 = { log in
        guard let log else { return SQLITE_MISUSE }
        let logAddition = addition(of: log)
        logAddition.pointee.frames.deallocate()
        if let database = logAddition.pointee.counterpart { addition(of: database).pointee.counterpart = nil }
        return logAddition.pointee.original.pointee.xClose(log)
    }
}
