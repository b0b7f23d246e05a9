// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles

/// What can go wrong with a store.
public enum StoreError: Error, Sendable, Hashable {
    /// A file or folder of the store.
    case file(FileError)
    /// The file is not a store, or its beginning is damaged.
    case notAStore(path: String, String)
    /// The file was written by a newer version.
    case newer(version: Int64)
    /// A keychain in memory was used in a forked child.
    case lostByFork
    /// The file is not a backup, or it is damaged.
    case notABackup(path: String, String)
    /// The backup was written by a newer version.
    case newerBackup(version: Int64)
    /// There is a store where one was to be restored.
    case storeExists(path: String)
    /// SQLite says no.
    case sqlite(SQLiteError)
}

extension StoreError: CustomStringConvertible {
    /// One sentence: what is wrong and what to do.
    public var description: String {
        switch self {
        case .file(let error): "\(error)"
        case .notAStore(let path, let why):
            "\(path) is not a keychain store or is damaged (\(why)); put it back from a backup"
        case .newer(let version): "the store has format \(version), written by a newer version; update this program"
        case .lostByFork: "a keychain in memory does not outlive fork"
        case .notABackup(let path, let why): "\(path) is not a keychain backup or is damaged (\(why)); use another one"
        case .newerBackup(let version):
            "the backup has format \(version), written by a newer version; update this program"
        case .storeExists(let path): "\(path) holds a keychain already; restore into a folder that has none"
        case .sqlite(let error) where error.isBusy:
            "the store is busy: another process held it for longer than the time-out; try again"
        case .sqlite(let error) where error.isDamage:
            "the store is damaged (\(error)); put it back from a backup"
        case .sqlite(let error): "\(error)"
        }
    }
}

extension KeychainError {
    /// The status of a store's error (specification, section 10, "Mapping of internal failures").
    public init(_ error: StoreError) {
        if case .sqlite(let underlying) = error {
            self.init(underlying.status, "\(error)", cause: error)
        } else {
            self.init(.notAvailable, "\(error)", cause: error)
        }
    }

    init(_ error: SQLiteError) { self.init(StoreError.sqlite(error)) }
}
