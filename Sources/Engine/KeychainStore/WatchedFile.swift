// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The file of an open store and the files next to it, with a check for replacement.
struct WatchedFile {
    /// The file's path.
    let path: String

    /// Whether this process cannot write the store, or must not, and the file is the whole store, so that it is read as
    /// it is.
    let isUnchanging: Bool

    /// The kind of file system on which this process must not write; `nil` elsewhere.
    let sharedKind: String?

    /// Which file it is.
    let identity: FileIdentity

    private let folder: PrivateDirectory
    private let contents: FileContentsMark?

    /// Whether it is used under the lock that all hosts see.
    private let isUnderHostLock: Bool

    /// The state of the folder when the file was found to be current: while it stays the same, nothing can have
    /// replaced the file, nor marked it as shared by hosts.
    private var currentFolder: FolderMark?

    /// Checks the files of a store that is about to be opened.
    ///
    /// Files that SQLite reads next to it must be as private as the file, and must not be pipes that would block it.
    ///
    /// - Throws: ``StoreError``, for example ``StoreError/journal(path:)`` and ``StoreError/unreadableLog(path:)``.
    init(_ folder: PrivateDirectory, _ place: StorePlace) throws(StoreError) {
        self.folder = folder
        sharedKind = if case .foreign(let kind) = place { kind } else { nil }
        isUnderHostLock = if case .underHostLock = place { true } else { false }
        path = folder.path(of: Store.fileName)
        let (log, index, journal) = try Self.companions(in: folder)
        guard !journal else { throw .journal(path: folder.path(of: Store.fileName + "-journal")) }
        // A log is read through its index, which SQLite cannot create in a folder without write permission.
        isUnchanging = sharedKind != nil || !index && !folder.isWritable
        if isUnchanging, log, FileContentsMark(path: folder.path(of: Self.log))?.byteCount != 0 {
            if let sharedKind { throw .sharedFolder(path: path, kind: sharedKind) }
            throw .unreadableLog(path: folder.path(of: Self.log))
        }
        guard let identity = FileIdentity(path: path) else {
            throw .file(.system(call: "lstat", path: path, errno: ENOENT))
        }
        self.identity = identity
        contents = isUnchanging ? FileContentsMark(path: path) : nil
    }

    /// Whether the file at the path is still the one that was opened.
    var isSameFile: Bool { FileIdentity(path: path) == identity }

    /// Whether the file has other names (hard links): SQLite has a log for each of them.
    var hasOtherNames: Bool {
        var status = stat()
        return path.withCString { lstat($0, &status) } == 0 && status.st_nlink > 1
    }

    /// Whether the file at the path is still the one that was opened.
    ///
    /// If it is read as it is, no process may have started to change it either, for example through another mount.
    mutating func isCurrent() -> Bool {
        guard !isUnchanging, !isUnderHostLock else { return isCurrentByItself }
        let folderMark = FolderMark(path: folder.path)
        if let folderMark, folderMark == currentFolder { return true }
        guard isCurrentByItself else { return false }
        currentFolder = folderMark
        return true
    }

    private var isCurrentByItself: Bool {
        guard isSameFile else { return false }
        // From when on hosts share the store, each uses it under their lock.
        guard isUnderHostLock || sharedKind != nil || !folder.isTaken(StorePlace.sharedMark) else { return false }
        guard isUnchanging else { return true }
        guard FileContentsMark(path: path) == contents else { return false }
        return sharedKind != nil ? logByteCount == 0 : !folder.isTaken(Self.index)
    }

    /// The header of the log; `nil` if there is none.
    var logBeginning: LogBeginning? { LogBeginning(path: folder.path(of: Self.log)) }

    /// The size of the log; 0 if there is none.
    var logByteCount: Int { FileContentsMark(path: folder.path(of: Self.log))?.byteCount ?? 0 }

    private static let log = Store.fileName + "-wal"
    private static let index = Store.fileName + "-shm"

    private static func companions(
        in folder: PrivateDirectory
    ) throws(StoreError) -> (log: Bool, index: Bool, journal: Bool) {
        do throws(FileError) {
            return (
                try folder.hasFile(log), try folder.hasFile(index), try folder.hasFile(Store.fileName + "-journal")
            )
        } catch {
            throw .file(error)
        }
    }
}
