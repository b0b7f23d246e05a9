// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The access groups of live rows, by their search tags.
extension SQLiteConnection {
    /// The tags of the access groups that were read, and in which state of the database.
    struct ReadGroups {
        let state: UInt32
        let hasIndex: Bool
        var tags: [ItemClass: [SearchTag]] = [:]
    }

    /// The tags of the access groups of a class, which are read again only once the database has changed.
    func groupTags(_ itemClass: ItemClass) throws(SQLiteError) -> [SearchTag] {
        // What a transaction under way has changed is no state yet.
        guard !isInTransaction, let state else { return try readGroupTags(itemClass, hasIndex: uses(.groupIndex)) }
        var groups: ReadGroups
        if let known = readGroups, known.state == state {
            groups = known
        } else {
            groups = ReadGroups(state: state, hasIndex: try uses(.groupIndex))
        }
        if let tags = groups.tags[itemClass] { return tags }
        let tags = try readGroupTags(itemClass, hasIndex: groups.hasIndex)
        groups.tags[itemClass] = tags
        readGroups = groups
        return tags
    }

    private func readGroupTags(_ itemClass: ItemClass, hasIndex: Bool) throws(SQLiteError) -> [SearchTag] {
        let key = StatementKey(hasIndex ? .indexedGroups : .groups, of: itemClass)
        let statement = try statement(key) { Self.groupQuery(itemClass, hasIndex: hasIndex) }
        defer { statement.reset() }
        return try readingLargeRows { () throws(SQLiteError) in
            var tags: [SearchTag] = []
            while try statement.step() {
                // No program writes other values.
                if let tag = statement.bytes16(0) { tags.append(tag) }
            }
            return tags
        }
    }

    private static func groupQuery(_ itemClass: ItemClass, hasIndex: Bool) -> String {
        let (table, group) = (Layout.table(itemClass), Layout.column(.accessGroup))
        let isLive = "\(Layout.tombstone) = 0 AND \(Layout.damage) IS NULL"
        guard hasIndex else { return "SELECT DISTINCT \(group) FROM \(table) NOT INDEXED WHERE \(isLive)" }
        // SQLite would read the whole index for DISTINCT; this goes from each group to the next one.
        return """
            WITH RECURSIVE list(tag) AS (
                SELECT MIN(\(group)) FROM \(table)
                UNION ALL
                SELECT (SELECT MIN(\(group)) FROM \(table) WHERE \(group) > tag) FROM list WHERE tag IS NOT NULL
            )
            SELECT tag FROM list
            WHERE tag IS NOT NULL AND EXISTS (SELECT 1 FROM \(table) WHERE \(group) = tag AND \(isLive))
            """
    }
}

extension RowReader {
    /// The tags of the access groups that live rows of a class are in.
    package func groupTags(_ itemClass: ItemClass) throws(KeychainError) -> [SearchTag] {
        do { return try connection.groupTags(itemClass) } catch { throw KeychainError(error) }
    }
}
