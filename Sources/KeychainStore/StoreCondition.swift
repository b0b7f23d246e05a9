// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CSQLite

/// What keeps the rows of a store from being changed, for tests; keybag and device are not concerned.
package enum StoreCondition: Sendable, Hashable {
    /// Nothing.
    case healthy
    /// There is no room: a change is made and then refused, as where a disk is full at the commit.
    case full
    /// Nothing may be changed.
    case readOnly
}

extension StoreCondition {
    /// Runs a change of rows under the condition; whoever gets the error undoes its transaction.
    func change<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        if self == .readOnly { throw SQLiteError(code: SQLITE_READONLY, operation: "changing a row") }
        let result = try body()
        if self == .full { throw SQLiteError(code: SQLITE_FULL, operation: "changing a row") }
        return result
    }
}
