// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The SQLite that this process has, which need not be the one that the package was built with.
enum SQLiteLibrary {
    /// The minimum version for opening a store, in SQLite's numbering: 3.37.0, the first whose sqlite3_open_v2 supports
    /// SQLITE_OPEN_EXRESCODE.
    static let minimumVersion: Int32 = 3_037_000

    /// Refuses a version that lacks what a store relies on.
    static func check(version: Int32 = sqlite3_libversion_number()) throws(StoreError) {
        guard version >= minimumVersion else { throw .libraryTooOld(version: version, minimum: minimumVersion) }
    }

    /// A version as it is written: 3.37.0.
    static func text(_ version: Int32) -> String {
        "\(version / 1_000_000).\(version / 1_000 % 1_000).\(version % 1_000)"
    }
}
