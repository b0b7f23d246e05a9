// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The tree that declares the tables of a database, on its first page and those below.
///
/// SQLite reads all of it before anything else, and keeps what it declares in memory. In a backup or a keychain file of
/// any origin it is looked at before that.
enum SchemaTree {
    /// Bounds far beyond the schema of every keychain, which has 7 KiB on 3 pages.
    private static let (maximumPages, maximumBytes) = (64, 128 << 10)

    /// Checks that each page and each row is there once, and that both are few.
    ///
    /// What is not a database is left to SQLite, which reports it.
    ///
    /// - Throws: ``SQLiteError`` of `SQLITE_CORRUPT`.
    static func check(_ file: FileBytes) throws(SQLiteError) {
        let pages = DatabasePages(file, .none)
        guard pages.hasHeader else { return }
        var (waiting, reached, byteCount) = ([1], Set<Int>(), 0)
        while let number = waiting.popLast() {
            guard reached.count < maximumPages else { throw tooLarge }
            guard reached.insert(number).inserted, let bytes = pages[number],
                let page = TreePage(bytes, number: number), page.kind.isOfTable, page.badCells == 0
            else { throw damaged }
            if page.kind.isInterior {
                waiting += page.children
                continue
            }
            for cell in page.cells {
                guard let size = page.recordByteCount(at: cell) else { throw damaged }
                byteCount += size
                guard byteCount <= maximumBytes else { throw tooLarge }
            }
        }
    }

    /// The error for a schema beyond the bounds.
    static var tooLarge: SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, operation: "reading the schema, which is larger than that of any keychain")
    }

    private static var damaged: SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, operation: "looking for the pages and rows of the schema")
    }
}
