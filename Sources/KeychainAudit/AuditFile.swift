// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HostFiles

/// The file of an audit log, and the one before it: of mode 0600, and of bounded size.
///
/// For one thread. Nothing is synced: a crash of the host may lose the last lines; a crash of the daemon loses no line
/// that was written.
public struct AuditFile: ~Copyable {
    /// The name of the file.
    public static let name = "audit.jsonl"

    /// The name that a full file gets; it replaces the previous one.
    public static let previousName = "audit.1.jsonl"

    /// The maximum size of a file; 4 MiB.
    public static let mostBytes = 4 << 20

    private let folder: PrivateDirectory
    private let mostBytes: Int
    private let write: Write
    private var descriptor: Int32 = -1

    /// Writes as write(2).
    package typealias Write = @Sendable (Int32, UnsafeRawPointer?, Int) -> Int

    /// The file in the folder of a store; it is created with the first line.
    public init(in folder: PrivateDirectory, mostBytes: Int = Self.mostBytes) {
        self.init(in: folder, mostBytes: mostBytes) { Glibc.write($0, $1, $2) }
    }

    /// The same with another way to write, for tests.
    package init(in folder: PrivateDirectory, mostBytes: Int = Self.mostBytes, write: @escaping Write) {
        self.folder = folder
        self.mostBytes = mostBytes
        self.write = write
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends entries, in as few writes as the size of the file permits.
    ///
    /// - Parameter entries: the entries; those that were written are removed.
    /// - Throws: ``FileError``, such as `ENOSPC`; no entry is written in part.
    public mutating func append(_ entries: inout ArraySlice<AuditEntry>) throws(FileError) {
        while !entries.isEmpty {
            var lines: [UInt8] = []
            var count = 0
            for entry in entries {
                let line = Array("\(entry.line)\n".utf8)
                if count > 0, lines.count + line.count > mostBytes { break }
                lines += line
                count += 1
            }
            try append(lines)
            entries.removeFirst(count)
        }
    }

    /// Appends whole lines, all or none.
    mutating func append(_ lines: [UInt8]) throws(FileError) {
        var status = try openedStatus()
        if status.st_size > 0, Int(status.st_size) + lines.count > mostBytes {
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
        guard rename(path, folder.path(of: Self.previousName)) == 0 else {
            throw .system(call: "rename", path: path, errno: errno)
        }
        close(descriptor)
        descriptor = -1
    }
}
