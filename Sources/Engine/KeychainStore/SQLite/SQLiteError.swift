// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// An error of SQLite: the extended result code and what was being done, never what was bound.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32

    /// The operation that failed.
    package let operation: String

    /// The primary result code.
    package var primaryCode: Int32 { code & 0xFF }

    /// Whether a row has a value already that only one can have: in a column, or as its number.
    package var isUniqueViolation: Bool {
        // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID, macros that Swift does not import.
        [6, 8, 10].contains { code == SQLITE_CONSTRAINT | ($0 << 8) }
    }

    /// The status of an item function for it (Semantics, "Error mapping", "Mapping of internal failures").
    ///
    /// It differs from Apple's for a lack of space, which is one of many reasons for errSecNotAvailable there.
    package var status: Status {
        switch primaryCode {
        case SQLITE_CONSTRAINT: .duplicateItem
        case SQLITE_READONLY: .readOnly
        case SQLITE_MISMATCH: .noSuchAttribute
        case SQLITE_NOMEM: .allocate
        case SQLITE_IOERR: .io
        case SQLITE_FULL: .diskFull
        default: .notAvailable
        }
    }

    /// Whether the file's structure or its tables are not what they were.
    package var isDamage: Bool {
        [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_TOOBIG].contains(primaryCode)
    }

    /// Whether there is no space for a change.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether a value exceeds the limit of the connection.
    var isTooLarge: Bool { primaryCode == SQLITE_TOOBIG }

    /// Whether the system failed to read or write.
    var isInputOutput: Bool { primaryCode == SQLITE_IOERR }

    /// Whether another connection held a lock for longer than the time-out.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// SQLite's own sentence for the code, and the operation.
    package var description: String {
        let text = sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
        return "SQLite \(code) while \(operation): \(text)"
    }
}
