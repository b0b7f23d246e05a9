// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The file of an audit log, and the one with older entries: of mode 0600, and of bounded size.
///
/// When the file is full, the newest entries of both stay in the older one, in equal shares of the programs. For one
/// thread. Nothing is synced: a crash of the host may lose the last lines; a crash of the daemon loses no line
/// that was written.
package struct AuditFile: ~Copyable {
    /// The name of the file.
    package static let name = "audit.jsonl"

    /// The name of the file with older entries.
    package static let previousName = "audit.1.jsonl"

    /// The maximum size of a file; 4 MiB.
    package static let maximumBytes = 4 << 20

    private let folder: PrivateDirectory
    private let maximumBytes: Int
    private let write: Write
    private var descriptor: Int32 = -1

    /// The number of the last entry that was written, or found; 0 before that.
    package private(set) var lastNumber = 0

    /// Writes as write(2).
    package typealias Write = @Sendable (Int32, UnsafeRawPointer?, Int) -> Int

    /// The file in the folder of a store; it is created with the first line.
    package init(in folder: PrivateDirectory, maximumBytes: Int = Self.maximumBytes) {
        self.init(in: folder, maximumBytes: maximumBytes) { Glibc.write($0, $1, $2) }
    }

    /// The same with another way to write, for tests.
    package init(in folder: PrivateDirectory, maximumBytes: Int = Self.maximumBytes, write: @escaping Write) {
        self.folder = folder
        self.maximumBytes = maximumBytes
        self.write = write
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends entries, in as few writes as the size of the file permits.
    ///
    /// - Parameter entries: the entries; those that were written are removed.
    /// - Throws: ``FileError``, such as `ENOSPC`; no entry is written in part.
    package mutating func append(_ entries: inout ArraySlice<AuditEntry>) throws(FileError) {
        while !entries.isEmpty {
            // This determines the last number.
            _ = try openedStatus()
            var lines: [UInt8] = []
            var count = 0
            var number = lastNumber
            for entry in entries {
                number = Self.number(after: number)
                let line = Array("\(NumberedAuditEntry(number: number, entry: entry).line)\n".utf8)
                if count > 0, lines.count + line.count > maximumBytes { break }
                lines += line
                count += 1
            }
            try append(lines)
            lastNumber = number
            entries.removeFirst(count)
        }
    }

    /// The time in microseconds, or one more than the last number: a new file after the old ones were removed continues
    /// with higher numbers, too.
    private static func number(after last: Int) -> Int {
        min(max(last + 1, Int(AuditTime.now.milliseconds) * 1000), NumberedAuditEntry.maximumNumber)
    }

    /// Appends whole lines, all or none.
    mutating func append(_ lines: [UInt8]) throws(FileError) {
        var status = try openedStatus()
        if status.st_size > 0, Int(status.st_size) + lines.count > maximumBytes {
            try rotate()
            status = try openedStatus()
        }
        let length = status.st_size
        var written = 0
        while written < lines.count {
            let count = lines.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = count == 0 ? ENOSPC : errno
                // The next line must not follow half of this one.
                if written > 0 { ftruncate(descriptor, length) }
                throw .system(call: "write", path: folder.path(of: Self.name), errno: failure)
            }
            written += count
        }
    }

    /// The status of the open file; a new one is created if it was removed or renamed.
    private mutating func openedStatus() throws(FileError) -> stat {
        var status = stat()
        var named = stat()
        if descriptor >= 0, fstat(descriptor, &status) == 0, lstat(folder.path(of: Self.name), &named) == 0,
            named.st_ino == status.st_ino, named.st_dev == status.st_dev
        {
            return status
        }
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        descriptor = try folder.openFile(Self.name)
        do throws(FileError) {
            guard fcntl(descriptor, F_SETFL, O_APPEND) == 0, fstat(descriptor, &status) == 0 else {
                throw .system(call: "fstat", path: folder.path(of: Self.name), errno: errno)
            }
            try endHalfLine(&status)
            let name = status.st_size > 0 ? Self.name : Self.previousName
            let end = LogContents(folder.path(of: name), maximumBytes: Self.maximumLineBytes)
            // A higher one is of a damaged line: those after it would all have the highest number.
            let limit = Int(AuditTime.now.milliseconds) * 1000 + Self.maximumClockLead
            let numbers = end.lines.compactMap { NumberedAuditEntry(line: $0)?.number }.filter { $0 <= limit }
            lastNumber = max(lastNumber, numbers.max() ?? 0)
        } catch {
            // The next call ends the half line.
            close(descriptor)
            descriptor = -1
            throw error
        }
        return status
    }

    /// Ends the incomplete line of a daemon that was killed.
    private func endHalfLine(_ status: inout stat) throws(FileError) {
        var last: UInt8 = 0
        guard status.st_size > 0, pread(descriptor, &last, 1, status.st_size - 1) == 1, last != 0x0A else { return }
        var end: UInt8 = 0x0A
        guard Glibc.write(descriptor, &end, 1) == 1 else {
            throw .system(call: "write", path: folder.path(of: Self.name), errno: errno)
        }
        status.st_size += 1
    }

    private mutating func rotate() throws(FileError) {
        let path = folder.path(of: Self.name)
        let isKept = rewritePreviousFile()
        // Without room for another file, the older one is removed.
        guard isKept ? unlink(path) == 0 : rename(path, folder.path(of: Self.previousName)) == 0 else {
            throw .system(call: isKept ? "unlink" : "rename", path: path, errno: errno)
        }
        close(descriptor)
        descriptor = -1
    }

    /// Replaces the older file by what stays of both; returns whether it could.
    private func rewritePreviousFile() -> Bool {
        let contents = [Self.previousName, Self.name].map {
            LogContents(folder.path(of: $0), maximumBytes: maximumBytes)
        }
        var bytes: [UInt8] = []
        for line in AuditShares.kept(of: contents.flatMap(\.lines), maximumBytes: maximumBytes) {
            bytes += line
            bytes.append(0x0A)
        }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try folder.makeFile(Self.previousName, bytes) }
        }
        if case .success = result { return true }
        // Removes a partially written file.
        folder.remove("\(Self.previousName).new")
        return false
    }

    /// How far numbers may be ahead of the clock, which may have been set back: a year, in microseconds.
    private static let maximumClockLead = 366 * 86_400 * 1_000_000

    /// More than any line has: its texts that are not truncated are a path and an identity.
    private static let maximumLineBytes = 1 << 17
}

/// The last bytes of a file.
private struct LogContents {
    private let bytes: [UInt8]
    private let isWhole: Bool

    /// The last bytes of the file at a path, at most `maximumBytes`; none if it cannot be read.
    init(_ path: String, maximumBytes: Int) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if descriptor >= 0 { close(descriptor) }
            (bytes, isWhole) = ([], true)
            return
        }
        defer { close(descriptor) }
        let start = max(0, Int(status.st_size) - maximumBytes)
        isWhole = start == 0
        bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size) - start) { buffer, count in
            while count < buffer.count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count, start + count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                count += got
            }
        }
    }

    /// The lines, without newlines and the end of one whose beginning is missing.
    var lines: [ArraySlice<UInt8>] {
        let lines = bytes.split(separator: 0x0A)
        return isWhole || bytes.first == 0x0A ? lines : Array(lines.dropFirst())
    }
}
