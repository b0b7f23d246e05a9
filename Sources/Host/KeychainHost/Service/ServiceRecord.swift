// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How programs connect to the daemon that owns a store.
///
/// `keychainctl service enable` writes it next to the store, so that it is the same for all of them, regardless of
/// their environment.
///
/// It is valid for the folder for which it was written. In a copy of the folder, it would lead to the daemon of the
/// original.
package struct ServiceRecord: Sendable, Hashable {
    /// The absolute path of the daemon's program; `nil` for the system service, which no program starts.
    package var program: String?

    /// The absolute path of its socket.
    package var socket: String

    /// The unit of the user's systemd that listens there; `nil` if the first program that needs the daemon starts it.
    package var unit: String?

    /// The name of the file.
    package static let fileName = "service.record"

    /// The name of the file that is locked while the owner of a store, or its daemon, is changed.
    package static let lockName = "service.lock"

    /// A record.
    package init(program: String?, socket: String, unit: String? = nil) {
        self.program = program
        self.socket = socket
        self.unit = unit
    }

    /// The record in the folder of a store; `nil` if no record can be read, or it is that of another folder.
    package init?(in folder: PrivateDirectory) {
        guard let (record, isOfFolder) = Self.read(in: folder), isOfFolder else { return nil }
        self = record
    }

    /// Whether a folder has the record of another one, and so is a copy of it.
    package static func isCopied(in folder: PrivateDirectory) -> Bool {
        read(in: folder).map { !$0.isOfFolder } ?? false
    }

    /// The daemon's program that is recorded in a folder, also in a copy; `nil` if there is none.
    package static func program(in folder: PrivateDirectory) -> String? { read(in: folder)?.record.program }

    private static func read(in folder: PrivateDirectory) -> (record: ServiceRecord, isOfFolder: Bool)? {
        guard var lines = folder.lines(of: fileName), let recorded = lines.popLast().flatMap(RecordedFolder.init),
            (1...3).contains(lines.count), lines[..<min(2, lines.count)].allSatisfy({ $0.isAbsolutePath })
        else { return nil }
        // A word of a command line that is not an option.
        let unit = lines.dropFirst(2).first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        let program = lines.count == 1 ? nil : lines[0]
        let record = ServiceRecord(program: program, socket: lines[min(1, lines.count - 1)], unit: unit)
        return (record, RecordedFolder(folder).map(recorded.isSame) ?? false)
    }

    /// Writes the record.
    package func write(in folder: PrivateDirectory) throws(FileError) {
        guard let recorded = RecordedFolder(folder) else {
            throw .system(call: "lstat", path: folder.path, errno: errno)
        }
        try folder.makeFile(Self.fileName, lines: [program, socket, unit, recorded.line].compactMap(\.self))
    }

    /// Removes it: programs open the store by themselves.
    package static func remove(in folder: PrivateDirectory) { folder.remove(fileName) }
}

extension PrivateDirectory {
    private static let longestRecord = 8192

    /// The lines of a small file; `nil` if there is none, or it is not UTF-8.
    func lines(of name: String) -> [String]? {
        let text = try? withContents(of: name, limit: Self.longestRecord) { String(validating: $0, as: UTF8.self) }
        return (text ?? nil)?.split(separator: "\n").map(String.init)
    }

    /// Makes a small file of lines, or replaces it.
    func makeFile(_ name: String, lines: [String]) throws(FileError) {
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        let failure = bytes.withUnsafeBytes { bytes -> FileError? in
            do throws(FileError) { try makeFile(name, bytes) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }
}

/// The folder for which a record was written: a copy of the folder has a copy of the record.
///
/// A folder is the same one if it is still at its path, as a home that was restored from a backup, or if it still has
/// its device and inode, as one that was moved. Device numbers may change with a restart of the host.
struct RecordedFolder: Hashable {
    private let identity: String
    private let path: String

    private static let keyword = "folder"

    /// The folder in its current state; `nil` if it does not exist any more.
    init?(_ folder: PrivateDirectory) {
        guard let identity = FileIdentity(path: folder.path) else { return nil }
        self.identity = identity.text
        // Records have lines.
        path = folder.path.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "%0A")
    }

    /// The folder that a line of a record names; `nil` for another line.
    init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == Self.keyword else { return nil }
        (identity, path) = (String(words[1]), String(words[2]))
    }

    /// The line of a record.
    var line: String { "\(Self.keyword) \(identity) \(path)" }

    /// Whether it is the same folder.
    func isSame(as other: RecordedFolder) -> Bool { identity == other.identity || path.isSamePath(as: other.path) }
}
