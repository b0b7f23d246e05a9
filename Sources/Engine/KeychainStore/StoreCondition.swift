// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// A condition that prevents the rows of a store from being changed, for tests; keybag and device are not affected.
package enum StoreCondition: Sendable, Hashable {
    /// Nothing.
    case healthy
    /// There is no space: a change is made and then refused, as on a disk that is full at the commit.
    case full
    /// Nothing may be changed.
    case readOnly

    /// The object that changes rows under the condition.
    var writers: RowWriter.Type {
        switch self {
        case .healthy: RowWriter.self
        case .full: FullRowWriter.self
        case .readOnly: ReadOnlyRowWriter.self
        }
    }
}

/// Makes each change and refuses it then; the transaction undoes it.
private final class FullRowWriter: RowWriter {
    override func insert(_ row: StoredRow) throws(KeychainError) -> Bool {
        if try super.insert(row) { throw Self.refusal }
        return false
    }

    override func update(_ old: NumberedRow, to row: StoredRow) throws(KeychainError) -> Bool {
        if try super.update(old, to: row) { throw Self.refusal }
        return false
    }

    override func delete(_ row: NumberedRow) throws(KeychainError) {
        try super.delete(row)
        throw Self.refusal
    }

    override func quarantine(_ row: NumberedRow, damage: Int) throws(KeychainError) {
        try super.quarantine(row, damage: damage)
        throw Self.refusal
    }

    override func release(_ row: NumberedRow) throws(KeychainError) -> Bool {
        if try super.release(row) { throw Self.refusal }
        return false
    }

    private static var refusal: KeychainError {
        KeychainError(SQLiteError(code: SQLITE_FULL, operation: "changing a row"))
    }
}

/// Refuses each change.
private final class ReadOnlyRowWriter: RowWriter {
    override func insert(_ row: StoredRow) throws(KeychainError) -> Bool { throw Self.refusal }

    override func update(_ old: NumberedRow, to row: StoredRow) throws(KeychainError) -> Bool { throw Self.refusal }

    override func delete(_ row: NumberedRow) throws(KeychainError) { throw Self.refusal }

    override func quarantine(_ row: NumberedRow, damage: Int) throws(KeychainError) { throw Self.refusal }

    override func release(_ row: NumberedRow) throws(KeychainError) -> Bool { throw Self.refusal }

    private static var refusal: KeychainError {
        KeychainError(SQLiteError(code: SQLITE_READONLY, operation: "changing a row"))
    }
}
