// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles

/// The file of an open store, what lies beside it, and whether it is still the same.
struct WatchedFile {
    /// The file's path.
    let path: String

    /// Whether nobody can write in the folder and the file is the whole store, so that it is read as it lies.
    let isUnchanging: Bool

    /// Which file it is.
    let identity: FileIdentity

    private let folder: PrivateDirectory
    private let contents: FileContentsMark?

    /// Looks at the files of a store that is about to be opened.
    ///
    /// What SQLite reads beside the file must be as private as the file, and no pipe that it would wait for.
    ///
    /// - Throws: ``StoreError``, among others ``StoreError/journal(path:)`` and ``StoreError/unreadableLog(path:)``.
    init(_ folder: PrivateDirectory) throws(StoreError) {
        self.folder = folder
        path = folder.path(of: Store.fileName)
        let (log, index, journal) = try Self.companions(in: folder)
        guard !journal else { throw .journal(path: folder.path(of: Store.fileName + "-journal")) }
        // A log is read by its index, which SQLite cannot make where nobody can write.
        isUnchanging = !index && !folder.isWritable
        if isUnchanging, log, FileContentsMark(path: folder.path(of: Self.log))?.byteCount != 0 {
            throw .unreadableLog(path: folder.path(of: Self.log))
        }
        guard let identity = FileIdentity(path: path) else {
            throw .file(.system(call: "lstat", path: path, errno: ENOENT))
        }
        self.identity = identity
        contents = isUnchanging ? FileContentsMark(path: path) : nil
    }

    /// Whether the file at the path is still the one that was opened, and, where it is read as it lies, nobody has
    /// begun to change it, for example through another mount.
    var isCurrent: Bool {
        guard FileIdentity(path: path) == identity else { return false }
        return !isUnchanging || !folder.isTaken(Self.index) && FileContentsMark(path: path) == contents
    }

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
