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
