// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Whether the log beside a store is its own, and whole.
package enum LogCondition: Sendable, Hashable {
    /// There is none, or nothing in it counts, and the file is the whole store.
    case unneeded
    /// It is the store's own, and all of its transactions are there.
    case whole
    /// The file says that there is one, and there is none.
    case missing
    /// The file says that there is another one.
    case foreign
    /// The file says that there is one, and this is not a log.
    case unreadable
    /// Behind its last valid transaction are pages that are not valid.
    case cut(lostPages: Int)

    /// Whether changes of the store may be gone with the log, or a part of it.
    package var losesChanges: Bool {
        switch self {
        case .unneeded, .whole: false
        case .missing, .foreign, .unreadable, .cut: true
        }
    }

    /// Whether the transactions that it has count.
    package var isUsed: Bool {
        switch self {
        case .whole, .cut: true
        case .unneeded, .missing, .foreign, .unreadable: false
        }
    }

    /// The condition of the log of a folder's store, as its files are now.
    ///
    /// Another process may write the log back, or restart it, at this moment: then it looks different afterwards.
    ///
    /// - Throws: ``KeychainError`` if the store's file cannot be opened.
    package init(in folder: PrivateDirectory) throws(KeychainError) {
        try self.init(lookingInto: folder)
        while losesChanges {
            let again = try LogCondition(lookingInto: folder)
            if again == self { return }
            self = again
        }
    }

    private init(lookingInto folder: PrivateDirectory) throws(KeychainError) {
        let path = folder.path(of: Store.fileName)
        let log = LogContents(FileBytes(path: path + "-wal"))
        let mark = try sql { () throws(SQLiteError) in try FileHeader(path: path)?.mark }
        self.init(log, belongsToMark: mark.map { LogBeginning(path: path + "-wal")?.belongs(to: $0) ?? false })
    }

    private init(_ log: LogContents, belongsToMark: Bool?) {
        switch (log.state, belongsToMark) {
        case (.empty, nil), (.malformed, nil): self = .unneeded
        case (.empty, _): self = .missing
        case (.malformed, _): self = .unreadable
        case (_, false?): self = .foreign
        case (.whole, _): self = .whole
        case (.cut(let lostPages), _): self = .cut(lostPages: lostPages)
        }
    }
}
