// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The lists of lookup attributes beside the item tables, which every statement that changes a row keeps right
/// (Documentation/Format.md, "Lookup attributes").
extension SQLiteConnection {
    /// Whether the store has the lists.
    func listsLookups() throws(SQLiteError) -> Bool {
        if let known = hasLookupLists { return known }
        let found = try uses(.lookupAttributes)
        hasLookupLists = found
        return found
    }

    private func listsLookups(_ itemClass: ItemClass) throws(SQLiteError) -> Bool {
        guard LookupMapping.has(itemClass) else { return false }
        return try listsLookups()
    }

    /// Lists what is kept of a row, and what was listed of it before no more; begins the use of the feature.
    func list(_ lookup: ListedLookup?, of itemClass: ItemClass, _ number: Int64, version: Bytes16) throws(SQLiteError) {
        guard LookupMapping.has(itemClass) else { return }
        if lookup != nil, try !listsLookups() { _ = try adopt(.lookupAttributes) }
        try unlist(itemClass, number)
        guard let lookup else { return }
        let face = try statement(StatementKey(.listLookup, of: itemClass)) {
            "INSERT INTO \(LookupLayout.faces(itemClass)) VALUES (?, ?, ?, ?)"
        }
        try using(face) { () throws(SQLiteError) in
            try face.bind(number, at: 0)
            try face.bind(version, at: 1)
            try face.bind(lookup.wholeTag, at: 2)
            try face.bind(lookup.face, at: 3)
            try changeOneRow(face)
        }
        let tag = try statement(StatementKey(.listLookupTag, of: itemClass)) {
            "INSERT INTO \(LookupLayout.tags(itemClass)) (\(LookupLayout.item), \(LookupLayout.tag)) VALUES (?, ?)"
        }
        for pair in lookup.pairTags {
            try using(tag) { () throws(SQLiteError) in
                try tag.bind(number, at: 0)
                try tag.bind(pair, at: 1)
                try changeOneRow(tag)
            }
        }
    }

    /// Removes what is listed of a row.
    func unlist(_ itemClass: ItemClass, _ number: Int64) throws(SQLiteError) {
        guard try listsLookups(itemClass) else { return }
        let face = try statement(StatementKey(.unlistLookup, of: itemClass)) {
            "DELETE FROM \(LookupLayout.faces(itemClass)) WHERE \(Layout.rowNumber) = ?"
        }
        let tags = try statement(StatementKey(.unlistLookupTags, of: itemClass)) {
            "DELETE FROM \(LookupLayout.tags(itemClass)) WHERE \(LookupLayout.item) = ?"
        }
        for statement in [face, tags] {
            try using(statement) { () throws(SQLiteError) in
                try statement.bind(number, at: 0)
                _ = try statement.step()
                if changes > 0 { hasUnlistedLookups = true }
            }
        }
    }

    /// How many rows that are no more something is listed of.
    func missingListed() throws(SQLiteError) -> Int64 {
        guard try listsLookups() else { return 0 }
        var count: Int64 = 0
        for itemClass in LookupMapping.classes {
            count += try integer(
                """
                SELECT count(*) FROM (
                    SELECT \(Layout.rowNumber) FROM \(LookupLayout.faces(itemClass))
                    UNION SELECT \(LookupLayout.item) FROM \(LookupLayout.tags(itemClass))
                    EXCEPT SELECT \(Layout.rowNumber) FROM \(Layout.table(itemClass))
                )
                """
            )
        }
        return count
    }

    /// Removes what is listed of rows that are no more.
    func unlistMissing() throws(SQLiteError) {
        guard try listsLookups() else { return }
        for itemClass in LookupMapping.classes {
            let rows = "(SELECT \(Layout.rowNumber) FROM \(Layout.table(itemClass)))"
            try execute("DELETE FROM \(LookupLayout.faces(itemClass)) WHERE \(Layout.rowNumber) NOT IN \(rows)")
            try execute("DELETE FROM \(LookupLayout.tags(itemClass)) WHERE \(LookupLayout.item) NOT IN \(rows)")
        }
        hasUnlistedLookups = true
    }

    /// Ends the use of the lists if the transaction has left none in them.
    func retireEmptyLookups() throws(SQLiteError) {
        guard hasUnlistedLookups else { return }
        hasUnlistedLookups = false
        guard try listsLookups() else { return }
        for itemClass in LookupMapping.classes {
            let faces = LookupLayout.faces(itemClass)
            guard try integer("SELECT EXISTS (SELECT 1 FROM \(faces))") == 0 else { return }
        }
        // Rows that are still to be listed may be among the others.
        guard try !uses(.lookupListing) else { return }
        _ = try retire(.lookupAttributes)
    }

    /// The numbers of the rows that are listed with each of these tags, at least one, in their order.
    func numbers(listedWith tags: [SearchTag], _ itemClass: ItemClass) throws(SQLiteError) -> [Int64] {
        guard try listsLookups(itemClass), let rarest = try rarest(tags, itemClass) else { return [] }
        let select = try statement(StatementKey(.lookupItems, of: itemClass)) {
            """
            SELECT \(LookupLayout.item) FROM \(LookupLayout.tags(itemClass)) WHERE \(LookupLayout.tag) = ?
            ORDER BY \(LookupLayout.item)
            """
        }
        var numbers: [Int64] = []
        let others = tags.filter { $0 != rarest }
        try using(select) { () throws(SQLiteError) in
            try select.bind(rarest, at: 0)
            while try select.step() {
                let number = select.integer(0)
                if try isListed(number, with: others, itemClass) { numbers.append(number) }
            }
        }
        return numbers
    }

    /// Whether a row is listed with each of these tags.
    private func isListed(
        _ number: Int64,
        with tags: [SearchTag],
        _ itemClass: ItemClass
    ) throws(SQLiteError) -> Bool {
        let probe = try statement(StatementKey(.lookupProbe, of: itemClass)) {
            """
            SELECT 1 FROM \(LookupLayout.tags(itemClass))
            WHERE \(LookupLayout.tag) = ? AND \(LookupLayout.item) = ? LIMIT 1
            """
        }
        for tag in tags {
            let isListed = try using(probe) { () throws(SQLiteError) in
                try probe.bind(tag, at: 0)
                try probe.bind(number, at: 1)
                return try probe.step()
            }
            guard isListed else { return false }
        }
        return true
    }

    /// The tag that the fewest rows have, as far as counting them is worth it.
    private func rarest(_ tags: [SearchTag], _ itemClass: ItemClass) throws(SQLiteError) -> SearchTag? {
        guard tags.count > 1 else { return tags.first }
        let count = try statement(StatementKey(.lookupCount, of: itemClass)) {
            """
            SELECT count(*) FROM (
                SELECT 1 FROM \(LookupLayout.tags(itemClass)) WHERE \(LookupLayout.tag) = ? LIMIT ?
            )
            """
        }
        var limit: Int64 = 16
        while true {
            var best: (tag: SearchTag, count: Int64)?
            for tag in tags {
                try using(count) { () throws(SQLiteError) in
                    try count.bind(tag, at: 0)
                    try count.bind(limit, at: 1)
                    let found = try count.step() ? count.integer(0) : 0
                    if found < best?.count ?? .max { best = (tag, found) }
                }
                if best?.count == 0 { return best?.tag }
            }
            if let best, best.count < limit || limit > Self.largestCount { return best.tag }
            limit *= 16
        }
    }

    private static let largestCount: Int64 = 1 << 24

    /// The numbers of the rows whose lookup attributes together have a tag, in their order.
    func numbers(listedWithWhole tag: SearchTag, _ itemClass: ItemClass) throws(SQLiteError) -> [Int64] {
        guard try listsLookups(itemClass) else { return [] }
        let statement = try statement(StatementKey(.lookupWhole, of: itemClass)) {
            """
            SELECT \(Layout.rowNumber) FROM \(LookupLayout.faces(itemClass)) WHERE \(LookupLayout.whole) = ?
            ORDER BY \(Layout.rowNumber)
            """
        }
        var numbers: [Int64] = []
        try using(statement) { () throws(SQLiteError) in
            try statement.bind(tag, at: 0)
            while try statement.step() { numbers.append(statement.integer(0)) }
        }
        return numbers
    }

    /// What is listed of this version of a row, its tags only if they are asked for.
    func listed(_ row: NumberedRow, withTags: Bool) throws(SQLiteError) -> ListedLookup? {
        let itemClass = row.row.itemClass
        guard try listsLookups(itemClass) else { return nil }
        let face = try statement(StatementKey(.lookupFace, of: itemClass)) {
            """
            SELECT \(Layout.version16), \(LookupLayout.whole),
                CASE WHEN typeof(\(LookupLayout.face)) = 'blob' AND length(\(LookupLayout.face)) <= \(ItemLimits.partByteCount)
                    THEN \(LookupLayout.face) END
            FROM \(LookupLayout.faces(itemClass)) WHERE \(Layout.rowNumber) = ?
            """
        }
        var listed: ListedLookup?
        try using(face) { () throws(SQLiteError) in
            try face.bind(row.number, at: 0)
            let isThere = try readingLargeRows { () throws(SQLiteError) in try face.step() }
            guard isThere, face.bytes16(0) == row.row.version, let whole = face.bytes16(1),
                face.type(2) == .blob
            else { return }
            listed = ListedLookup(wholeTag: whole, pairTags: [], face: face.bytes(2))
        }
        guard withTags, listed != nil else { return listed }
        let tags = try statement(StatementKey(.lookupTags, of: itemClass)) {
            """
            SELECT \(LookupLayout.tag) FROM \(LookupLayout.tags(itemClass)) WHERE \(LookupLayout.item) = ?
            ORDER BY \(Layout.rowNumber)
            """
        }
        try using(tags) { () throws(SQLiteError) in
            try tags.bind(row.number, at: 0)
            while try tags.step() { listed?.pairTags.append(tags.bytes16(0) ?? .zero) }
        }
        return listed
    }

    private func using<Result>(
        _ statement: SQLiteStatement,
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        defer { statement.reset() }
        return try body()
    }
}

extension RowReader {
    /// The numbers of the rows of a class that are listed with all of these tags of lookup attributes, in the order in
    /// which they were added.
    ///
    /// The lists are not authenticated: whether a row has the attributes is for its face or its own attributes to say.
    package func rowNumbers(listedWith tags: [SearchTag], _ itemClass: ItemClass) throws(KeychainError) -> [Int64] {
        try sql { () throws(SQLiteError) in try connection.numbers(listedWith: tags, itemClass) }
    }

    /// The same of rows whose lookup attributes together have a tag.
    package func rowNumbers(
        listedWithWhole tag: SearchTag,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> [Int64] {
        try sql { () throws(SQLiteError) in try connection.numbers(listedWithWhole: tag, itemClass) }
    }

    /// Live rows that match and of which nothing is listed, in the order in which they were added.
    package func unlistedRows(_ filter: RowFilter) throws(KeychainError) -> [NumberedRow] {
        var filter = filter
        filter.excludesListed = try sql { () throws(SQLiteError) in try connection.listsLookups() }
        return try rows(filter)
    }

    /// What is listed of this version of a row; `nil` for a row without lookup attributes.
    ///
    /// The tags of the pairs are read only if they are asked for.
    package func listed(_ row: NumberedRow, withTags: Bool = false) throws(KeychainError) -> ListedLookup? {
        try sql { () throws(SQLiteError) in try connection.listed(row, withTags: withTags) }
    }

    /// How many rows that are no more something is listed of.
    package func missingListedCount() throws(KeychainError) -> Int {
        Int(try sql { () throws(SQLiteError) in try connection.missingListed() })
    }
}

extension RowWriter {
    /// Lists what is kept of a row beside it, in place of what was listed; `nil` for nothing.
    package func list(_ lookup: ListedLookup?, of row: NumberedRow) throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            try connection.list(lookup, of: row.row.itemClass, row.number, version: row.row.version)
        }
    }

    /// Removes what is listed of rows that are no more.
    package func unlistMissingRows() throws(KeychainError) {
        try sql { () throws(SQLiteError) in try connection.unlistMissing() }
    }

    /// Records that rows were added as they were elsewhere, without what is listed of them.
    package func recordUnlistedRows() throws(KeychainError) {
        try adopt(.lookupAttributes)
        try adopt(.lookupListing)
    }

    /// Records that every row is listed that has to be.
    package func recordListedRows() throws(KeychainError) {
        try retire(.lookupListing)
        connection.hasUnlistedLookups = true
    }
}
