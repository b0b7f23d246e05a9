// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// How this process may use the store of a folder, depending on its file system (Documentation/Format.md, "Shared
/// folders").
enum StorePlace {
    /// On a file system of this host: with shared memory, and locks of the kernel.
    case local
    /// Several hosts may use it, one at a time, under a lock that all of them see.
    case underHostLock(HostLock)
    /// On a file system of this kind, a store is written only if the user permits it.
    case foreign(kind: String)

    /// The name of the file that marks a store as used by several hosts: a host that has the folder on its own disk
    /// then uses it under their lock, too.
    static let sharedMark = "shared.mark"

    /// The place of a folder; if several hosts use the store, this process acquires their lock.
    ///
    /// - Throws: ``StoreError/file(_:)``, for example while another process has the lock.
    init(_ folder: PrivateDirectory, _ options: StoreOptions) throws(StoreError) {
        let kind = SharedFileSystem.name(of: folder)
        if let kind, !options.allowsSharedFolders {
            self = .foreign(kind: kind)
            return
        }
        let isMarked = folder.isTaken(Self.sharedMark)
        guard kind != nil || isMarked else {
            self = .local
            return
        }
        let lock: HostLock
        do { lock = try HostLock(in: folder) } catch { throw .file(error) }
        do throws(StoreError) {
            if !isMarked { try Self.mark(folder) }
            try Self.endLocalUse(in: folder, isLocal: kind == nil)
        } catch {
            lock.release()
            throw error
        }
        self = .underHostLock(lock)
    }

    private static func mark(_ folder: PrivateDirectory) throws(StoreError) {
        do { try folder.makeEmptyFile(sharedMark) } catch { throw .file(error) }
    }

    /// Ensures that no process of the host that has the store on its own disk uses it without the lock for all hosts.
    ///
    /// If such a process has left changes in the log, a process of that host writes them back, unless another one is
    /// making a change; other hosts wait for that.
    private static func endLocalUse(in folder: PrivateDirectory, isLocal: Bool) throws(StoreError) {
        guard try isInLocalUse(folder) else { return }
        let path = folder.path(of: Store.fileName)
        if isLocal {
            do throws(SQLiteError) {
                let connection = try SQLiteConnection(path: path)
                _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.close()
            } catch {
                throw .sqlite(error)
            }
            guard try isInLocalUse(folder) else { return }
        }
        throw .inLocalUse(path: path)
    }

    private static func isInLocalUse(_ folder: PrivateDirectory) throws(StoreError) -> Bool {
        let isThere: Bool
        do { isThere = try folder.hasFile(Store.fileName) } catch { throw .file(error) }
        guard isThere else { return false }
        do { return try FileHeader(path: folder.path(of: Store.fileName))?.isInLocalUse ?? false } catch {
            throw .sqlite(error)
        }
    }

    /// The lock that is held; `nil` if none is needed.
    var hostLock: HostLock? { if case .underHostLock(let lock) = self { lock } else { nil } }

    /// Opens a file that exists already, to write it.
    func connection(to path: String) throws(SQLiteError) -> SQLiteConnection {
        switch self {
        case .local, .foreign: try SQLiteConnection(path: path)
        case .underHostLock: try SQLiteConnection(underHostLock: path)
        }
    }
}
