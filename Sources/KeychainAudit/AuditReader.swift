// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HostFiles

/// Reads a log while a daemon writes it: first everything, then what was added since.
///
/// For one thread.
public struct AuditReader: ~Copyable {
    /// The result of a read.
    public struct Part: Sendable {
        /// The entries, oldest first.
        public var entries: [AuditEntry] = []
        /// The number of lines that are no entries.
        public var unreadable = 0
    }

    private let folder: PrivateDirectory
    private var descriptor: Int32 = -1
    private var rest: [UInt8] = []
    private var isFirst = true

    /// No entry has a longer line.
    private static let longestLine = 1 << 20

    /// A reader of the log in the folder of a store.
    public init(in folder: PrivateDirectory) { self.folder = folder }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads what was added since the last time, and everything at first.
    ///
    /// - Throws: ``FileError`` if a file cannot be read, or is accessible to others.
    public mutating func next() throws(FileError) -> Part {
        var part = Part()
        if isFirst {
            isFirst = false
            if try open(AuditFile.previousName) { try readToEnd(&part) }
            closeFile(&part)
        }
        // If the file was renamed since, the rest of it comes first.
        for _ in 0..<3 {
            if descriptor >= 0 {
                let isCurrent = isCurrent
                try readToEnd(&part)
                if isCurrent { break }
                closeFile(&part)
            }
            guard try open(AuditFile.name) else { break }
        }
        return part
    }

    private var isCurrent: Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, lstat(folder.path(of: AuditFile.name), &named) == 0 else {
            return false
        }
        return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Opens a file.
    ///
    /// - Returns: Whether it exists.
    private mutating func open(_ name: String) throws(FileError) -> Bool {
        guard try folder.hasFile(name) else { return false }
        let path = folder.path(of: name)
        descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return false }
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        return true
    }

    private mutating func closeFile(_ part: inout Part) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if !rest.isEmpty { part.unreadable += 1 }
        rest = []
    }

    private mutating func readToEnd(_ part: inout Part) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw .system(call: "read", path: folder.path(of: AuditFile.name), errno: errno)
            }
            if count == 0 { return }
            take(buffer[..<count], &part)
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ part: inout Part) {
        var bytes = bytes
        while let end = bytes.firstIndex(of: 0x0A) {
            let line = rest + bytes[..<end]
            rest = []
            bytes = bytes[(end + 1)...]
            if let entry = AuditEntry(line: line) {
                part.entries.append(entry)
            } else if !line.isEmpty {
                part.unreadable += 1
            }
        }
        rest += bytes
        if rest.count > Self.longestLine {
            rest = []
            part.unreadable += 1
        }
    }
}
