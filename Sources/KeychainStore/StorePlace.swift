// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore

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
        do throws(FileError) {
            let lock = try HostLock(in: folder)
            if !isMarked {
                do throws(FileError) { try folder.makeEmptyFile(Self.sharedMark) } catch {
                    lock.release()
                    throw error
                }
            }
            self = .underHostLock(lock)
        } catch {
            throw .file(error)
        }
    }

    /// The lock that is held; `nil` where none is needed.
    var hostLock: HostLock? { if case .underHostLock(let lock) = self { lock } else { nil } }

    /// Opens a file that exists already, to write it.
    func connection(to path: String) throws(SQLiteError) -> Connection {
        switch self {
        case .local, .foreign: try Connection(path: path)
        case .underHostLock: try Connection(underHostLock: path)
        }
    }
}
