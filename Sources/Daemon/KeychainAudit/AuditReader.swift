// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// Reads a log while a daemon writes it: first everything, then the additions.
///
/// Each entry is read once, even if files are replaced meanwhile. The files may contain anything: lines that are not
/// entries are counted, and memory is bounded. For one thread.
package struct AuditReader: ~Copyable {
    /// The result of a read.
    package struct Part: Sendable {
        /// The entries with their numbers, oldest first.
        package var numbered: [NumberedAuditEntry] = []
        /// The number of lines that are not entries.
        package var unreadable = 0

        /// The entries, oldest first.
        package var entries: [AuditEntry] { numbered.map(\.entry) }
    }

    private let folder: String
    private let owner: uid_t
    private var descriptor: Int32 = -1
    private var offset = 0
    private var rest: [UInt8] = []
    /// Whether the bytes up to the next newline are the rest of a line that is left out.
    private var isSkipping = false
    /// Selects new entries in files that are opened; `nil` if all are new.
    private var filter: Filter?
    private var last: Int
    private var isFirst = true
    private var room: Int

    /// No entry has a longer line.
    private static let longestLine = 1 << 20

    /// No daemon writes a larger file; of one that is larger, only the last bytes are read.
    private static let largestFile = 2 * AuditFile.maximumBytes

    private struct Filter {
        /// The number after which entries are new.
        let start: Int
        /// Whether entries without a number are new.
        let takesUnnumbered: Bool
        /// The numbers that were read since: an entry may be in both files.
        var seen: Set<Int> = []

        mutating func isNew(_ entry: NumberedAuditEntry) -> Bool {
            guard entry.number > 0 else { return takesUnnumbered }
            return entry.number > start && seen.insert(entry.number).inserted
        }
    }

    /// A reader of the log in the folder of a store.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - number: the number of the entry after which to begin; 0 for the first.
    ///   - maximumBytes: the maximum number of bytes of all lines to read, unless it is one line.
    package init(in folder: PrivateDirectory, after number: Int = 0, maximumBytes: Int = .max) {
        self.init(path: folder.path, of: geteuid(), after: number, maximumBytes: maximumBytes)
    }

    /// A reader of a log that another user writes.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - owner: the user; a file of any other one is refused.
    ///   - number: the number of the entry after which to begin; 0 for the first.
    ///   - maximumBytes: the maximum number of bytes of all lines to read, unless it is one line.
    package init(path: String, of owner: uid_t, after number: Int = 0, maximumBytes: Int = .max) {
        folder = path
        self.owner = owner
        last = number
        room = maximumBytes
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads what was added since the last time, and everything at first.
    ///
    /// - Throws: ``FileError`` if a file cannot be read, belongs to another user, or is accessible to others.
    package mutating func next() throws(FileError) -> Part {
        var part = Part()
        if descriptor >= 0, try byteCount() >= offset {
            let isCurrent = isCurrent
            try readToEnd(&part)
            if isCurrent { return part }
        }
        // It is complete, or was truncated.
        closeFile(&part)
        filter = Filter(start: last, takesUnnumbered: isFirst)
        isFirst = false
        defer { filter = nil }
        // Opened before the previous one is read: entries that are moved there meanwhile are then found twice, rather
        // than never.
        let current = try open(AuditFile.name)
        do throws(FileError) {
            descriptor = try open(AuditFile.previousName) ?? -1
            if descriptor >= 0 { try readToEnd(&part) }
        } catch {
            if let current { close(current) }
            throw error
        }
        closeFile(&part)
        guard let current else { return part }
        descriptor = current
        try readToEnd(&part)
        return part
    }

    private var isCurrent: Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, lstat("\(folder)/\(AuditFile.name)", &named) == 0 else { return false }
        return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Opens a file; `nil` if there is none.
    private func open(_ name: String) throws(FileError) -> Int32? {
        let path = "\(folder)/\(name)"
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP
                ? .wrongKind(path: path, expected: "a file") : .system(call: "open", path: path, errno: errno)
        }
        var status = stat()
        let failure: FileError? =
            if fstat(descriptor, &status) != 0 {
                .system(call: "fstat", path: path, errno: errno)
            } else if status.st_mode & S_IFMT != S_IFREG {
                .wrongKind(path: path, expected: "a file")
            } else if status.st_uid != owner {
                .foreign(path: path, owner: status.st_uid)
            } else if status.st_mode & 0o077 != 0 {
                .exposed(path: path, "is open to other users")
            } else {
                nil
            }
        guard let failure else { return descriptor }
        close(descriptor)
        throw failure
    }

    private mutating func closeFile(_ part: inout Part) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        offset = 0
        isSkipping = false
        if !rest.isEmpty { part.unreadable += 1 }
        rest = []
    }

    private func byteCount() throws(FileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        return Int(status.st_size)
    }

    private func failure(_ call: String) -> FileError {
        .system(call: call, path: folder, errno: errno)
    }

    /// Reads up to the present end, which another process may move meanwhile.
    private mutating func readToEnd(_ part: inout Part) throws(FileError) {
        let end = try byteCount()
        if end - offset > Self.largestFile {
            offset = end - Self.largestFile
            skipLine(&part)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while offset < end {
            let count = pread(descriptor, &buffer, min(buffer.count, end - offset), off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("pread") }
            if count == 0 { return }
            offset += count
            parse(buffer[..<count], &part)
        }
    }

    private mutating func skipLine(_ part: inout Part) {
        rest = []
        isSkipping = true
        part.unreadable += 1
    }

    private mutating func parse(_ bytes: ArraySlice<UInt8>, _ part: inout Part) {
        var bytes = bytes
        while room >= 0, let end = bytes.firstIndex(of: 0x0A) {
            let line = rest + bytes[..<end]
            rest = []
            bytes = bytes[(end + 1)...]
            if isSkipping { isSkipping = false } else if !line.isEmpty { parse(line: line, &part) }
        }
        guard room >= 0, !isSkipping else { return }
        rest += bytes
        if rest.count > Self.longestLine { skipLine(&part) }
    }

    private mutating func parse(line: [UInt8], _ part: inout Part) {
        guard let entry = NumberedAuditEntry(line: line) else {
            part.unreadable += 1
            return
        }
        guard filter?.isNew(entry) ?? true else { return }
        room -= line.count
        guard room >= 0 || part.numbered.isEmpty else { return }
        part.numbered.append(entry)
        if entry.number > 0 { last = entry.number }
    }
}
