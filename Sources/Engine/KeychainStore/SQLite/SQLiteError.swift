// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// An error of SQLite: the extended result code and what was being done, never what was bound.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code.
    package let code: Int32

    /// What was being done.
    package let operation: String

    /// The primary result code.
    package var primaryCode: Int32 { code & 0xFF }

    /// Whether a UNIQUE constraint refused the change: SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not import.
    package var isUniqueViolation: Bool { code == SQLITE_CONSTRAINT | (8 << 8) }

    /// What an item function returns for it (Semantics, "Error mapping", "Mapping of internal failures").
    ///
    /// Differs from Apple for want of room, which there is one of many reasons for errSecNotAvailable.
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

    /// Whether there is no room for a change.
    package var isFull: Bool { primaryCode == SQLITE_FULL }

    /// Whether a value is longer than the connection takes.
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
