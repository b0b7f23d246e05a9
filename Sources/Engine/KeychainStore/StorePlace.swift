// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// How this process may use the store of a folder, by the file system that the folder is on (Documentation/Format.md,
/// "Shared folders").
enum StorePlace {
    /// On a file system of this host: with shared memory, and locks of the kernel.
    case local
    /// Where several hosts may use it, each in its turn, under a lock that all of them see.
    case underHostLock(HostLock)
    /// On a file system of this kind, on which a store is not written unless the user says so.
    case foreign(kind: String)

    /// The name of the file that says that several hosts use a store: also a host on whose own file system the folder
    /// lies uses it under their lock then.
    static let sharedMark = "shared.mark"

    /// The place of a folder; where several hosts use the store, once this process has their lock.
    ///
    /// - Throws: ``StoreError/file(_:)``, among others while another process has the lock.
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

    /// Makes sure that no process of the host on whose disk a store lies uses it without the lock of all hosts.
    ///
    /// What such a process has left in the log, one of that host writes back, as long as no other one is in the midst
    /// of a change; other hosts wait for that.
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

    /// The lock that is held; `nil` where none is needed.
    var hostLock: HostLock? { if case .underHostLock(let lock) = self { lock } else { nil } }

    /// Opens a file that exists already, to write it.
    func connection(to path: String) throws(SQLiteError) -> SQLiteConnection {
        switch self {
        case .local, .foreign: try SQLiteConnection(path: path)
        case .underHostLock: try SQLiteConnection(underHostLock: path)
        }
    }
}
