// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The columns of a database's item tables.
struct ItemTables {
    /// Their version.
    let version: UInt16

    /// The attributes that have a search tag, ordered by name; `nil` for those that this program creates.
    private let tags: [ItemClass: [AttributeName]]?

    /// The tables that this program creates; its features add nothing to the columns.
    static let current = ItemTables(version: FileFormat.baseVersion)

    /// The tables of a version that this one knows.
    init(version: UInt16) {
        self.version = version
        tags =
            version == FileFormat.baseVersion
            ? nil
            : Dictionary(
                uniqueKeysWithValues: ItemClass.stored.map { ($0, ItemSchema.of($0).searchableNames(in: version)) }
            )
    }

    /// The tables of a later revision: rows are bound to the tags of every attribute, including ones that are unknown
    /// here.
    init(version: UInt16, in connection: SQLiteConnection) throws(SQLiteError) {
        self.version = version
        var tags: [ItemClass: [AttributeName]] = [:]
        for itemClass in ItemClass.stored {
            let statement = try connection.prepare(
                "SELECT substr(name, 3) FROM pragma_table_info('\(Layout.table(itemClass))') WHERE name GLOB 't_????'"
            )
            defer { statement.reset() }
            var names = Set(ItemSchema.of(itemClass).searchableNames)
            while try statement.step() { if let name = AttributeName(statement.text(0)) { names.insert(name) } }
            tags[itemClass] = names.sorted()
        }
        self.tags = tags
    }

    /// The attributes that have search tags in the table of a class, ordered by name.
    func tagNames(_ itemClass: ItemClass) -> [AttributeName] {
        guard let tags else { return ItemSchema.of(itemClass).searchableNames }
        return tags[itemClass] ?? []
    }

    /// The column that distinguishes rows of the previous format; in that format's own tables, all rows are.
    var former: String { Layout.hasFormer(version) ? Layout.former : "x''" }
}
