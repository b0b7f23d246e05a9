// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// An error of SQLite: the extended result code and what was being done, never what was bound.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The extended result code.
    public let code: Int32

    /// What was being done.
    public let operation: String

    /// The primary result code.
    public var primaryCode: Int32 { code & 0xFF }

    /// Whether a UNIQUE constraint refused the change: SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not import.
    public var isUniqueViolation: Bool { code == SQLITE_CONSTRAINT | (8 << 8) }

    /// What sort of error it is, as far as statuses tell them apart.
    public var kind: Kind {
        switch primaryCode {
        case SQLITE_READONLY: .readOnly
        case SQLITE_NOMEM: .memory
        case SQLITE_IOERR: .input
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_MISMATCH: .mismatch
        default: .other
        }
    }

    /// The sorts of errors.
    public enum Kind: Sendable, Hashable {
        /// The file cannot be written.
        case readOnly
        /// There is no memory.
        case memory
        /// Reading or writing failed.
        case input
        /// A constraint refused the change.
        case constraint
        /// A value has the wrong type.
        case mismatch
        /// Anything else: full, locked, not to be opened, damaged.
        case other
    }

    /// Whether another connection held a lock for longer than the time-out.
    public var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }

    /// SQLite's own sentence for the code, and the operation.
    public var description: String {
        let text = sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
        return "SQLite \(code) while \(operation): \(text)"
    }
}
