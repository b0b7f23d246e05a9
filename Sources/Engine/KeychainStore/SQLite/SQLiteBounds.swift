// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// Bounds for what SQLite does with a file that may have any origin.
///
/// SQLite follows the pointers of a tree as they are: where a page, or a row, has several, it is read as often, and
/// some levels of that make a few pages endless. A bound in steps of its virtual machine, unlike one in time, is the
/// same on each machine.
extension SQLiteConnection {
    /// The schema of a keychain has 6 KiB in 32 rows, which take less than 300 steps; that of ANALYZE, as many again.
    private static let (longestDeclaration, schemaSteps): (Int32, Int32) = (8 << 10, 5_000)

    /// Runs `body`, in which SQLite reads the schema, of the file or of its log, as they are at that moment.
    ///
    /// - Throws: ``SQLiteError`` of `SQLITE_CORRUPT` for a schema that is larger than that of any keychain.
    func readingSchema<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try withHandle { handle throws(SQLiteError) in
            let kinds = [SQLITE_LIMIT_LENGTH, SQLITE_LIMIT_SQL_LENGTH]
            let former = kinds.map { sqlite3_limit(handle, $0, Self.longestDeclaration) }
            sqlite3_progress_handler(handle, Self.schemaSteps, { _ in 1 }, nil)
            defer {
                sqlite3_progress_handler(handle, 0, nil, nil)
                for (kind, limit) in zip(kinds, former) { sqlite3_limit(handle, kind, limit) }
            }
            do throws(SQLiteError) { return try body() } catch {
                guard [SQLITE_INTERRUPT, SQLITE_TOOBIG].contains(error.primaryCode) else { throw error }
                throw SchemaTree.tooLarge
            }
        }
    }

    /// Has SQLite read the schema, which it would do at the next statement, without a bound.
    func readSchema() throws(SQLiteError) {
        try readingSchema { () throws(SQLiteError) in
            // Reads the header alone, so that what is no database has the same error everywhere.
            _ = try integer("PRAGMA schema_version")
            try execute("SELECT 1 FROM sqlite_schema LIMIT 0")
        }
    }

    /// SQLite's own check of the structure; empty when it is sound.
    ///
    /// Once it has found nothing, each page and each row is there once, so that statements end.
    func structuralDefects(limit: Int) throws(SQLiteError) -> [String] {
        let statement = try prepare("PRAGMA integrity_check(\(limit))")
        defer { statement.reset() }
        var lines: [String] = []
        do throws(SQLiteError) {
            try withinSteps(of: byteCount()) { () throws(SQLiteError) in
                while try statement.step() { lines.append(statement.text(0)) }
            }
        } catch {
            guard error.primaryCode == SQLITE_INTERRUPT else { throw error }
            return lines + ["the check takes more steps than that of any sound file of this size"]
        }
        return lines == ["ok"] ? [] : lines
    }

    private func byteCount() throws(SQLiteError) -> Int64 {
        try readingSchema { () throws(SQLiteError) in
            try integer("PRAGMA page_count").multipliedReportingOverflow(by: integer("PRAGMA page_size")).partialValue
        }
    }

    /// Interrupts what takes more steps than the check of a sound database of a size.
    private func withinSteps(of byteCount: Int64, _ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let total = Self.leastSteps + Self.stepsOfByte * min(max(byteCount, 0), Self.largestSize)
        var left = Self.parts
        try withHandle { handle throws(SQLiteError) in
            try withUnsafeMutablePointer(to: &left) { left throws(SQLiteError) in
                sqlite3_progress_handler(
                    handle,
                    Int32(clamping: total / Int64(Self.parts)),
                    { left in
                        guard let left = left?.assumingMemoryBound(to: Int.self) else { return 1 }
                        left.pointee -= 1
                        return left.pointee > 0 ? 0 : 1
                    },
                    left
                )
                defer { sqlite3_progress_handler(handle, 0, nil, nil) }
                try body()
            }
        }
    }

    /// How often a check is looked at.
    private static let parts = 64

    // A row of 300 bytes or more takes 50 steps.
    private static let (leastSteps, stepsOfByte): (Int64, Int64) = (1_000_000, 4)

    /// Beyond it, only a log or holes make a file larger, which add no steps.
    private static let largestSize: Int64 = 1 << 32
}
