// SPDX-License-Identifier: Apache-2.0

/// The columns of an item class, in the order of the tables, and how to find one.
package final class ItemSchema: Sendable {
    /// The class.
    package let itemClass: ItemClass

    /// Every column that a client can name.
    package let columns: [Column]

    /// The columns that make up the primary key, in table order.
    package let primaryKey: [Column]

    /// The columns of the primary key that the class alone has: what distinguishes its items within a group.
    package let identifyingColumns: [Column]

    /// The columns by which programs identify one item: sets of columns of the primary key, of which one suffices, the
    /// usual one last; none for identities.
    ///
    /// The rest of the key has its default values in nearly every item.
    package let namings: [[AttributeName]]

    /// The columns that an add fills in, or accepts from a caller.
    package let filledIn: [Column]

    /// The columns that have a search tag, ordered by name.
    package let searchable: [Column]

    /// The names of ``searchable``.
    package let searchableNames: [AttributeName]

    /// The names of the columns that the tables of a version have search tags of, ordered.
    package func searchableNames(in version: UInt16) -> [AttributeName] {
        version == FileFormat.baseVersion
            ? searchableNames : columns.filter { $0.isTagged(in: version) }.map(\.name).sorted()
    }

    /// The columns that have an SQL index, several for an index over more than one column.
    package let indexes: [[AttributeName]]

    /// The protection class of an item that names none (Semantics, "Computed attributes").
    package let defaultAccessibility: Accessibility

    /// The names of all columns in order, and their positions in ``columns``.
    private let names: [(name: AttributeName, index: Int)]

    /// How many columns the class has, the secret and the persistent reference included: they have no short name.
    package var columnCount: Int { columns.count + 2 }

    /// The column of a name; `nil` when the class has no such attribute.
    package subscript(name: AttributeName) -> Column? {
        // A search by halves: cheaper than a hash, and every attribute of every request is looked up here.
        var range = 0..<names.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let (candidate, index) = names[middle]
            if candidate == name { return columns[index] }
            range = candidate < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// The schema of a class.
    package static func of(_ itemClass: ItemClass) -> ItemSchema {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .identity: identity
        }
    }

    init(
        _ itemClass: ItemClass,
        columns: [Column],
        namings: [[AttributeName]],
        indexes: [[AttributeName]],
        defaultAccessibility: Accessibility = .whenUnlocked
    ) {
        self.itemClass = itemClass
        self.columns = columns
        self.namings = namings
        self.indexes = indexes
        self.defaultAccessibility = defaultAccessibility
        primaryKey = columns.filter(\.isPrimaryKey)
        let common = Set(ColumnTable.common.map(\.name))
        identifyingColumns = primaryKey.filter { !common.contains($0.name) }
        filledIn = columns.filter { $0.access == .computed || $0.defaultValue != nil }
        searchable = columns.filter(\.isSearchable).sorted { $0.name < $1.name }
        searchableNames = searchable.map(\.name)
        names = columns.indices.filter { index in !columns[..<index].contains { $0.name == columns[index].name } }
            .map { (columns[$0].name, $0) }.sorted { $0.0 < $1.0 }
    }

    private static let genericPassword = ItemSchema(
        .genericPassword,
        columns: ColumnTable.genericPassword + ColumnTable.common,
        namings: [[.service, .account]],
        indexes: [["svce", "acct"], ["acct"], ["labl"]]
    )
    private static let internetPassword = ItemSchema(
        .internetPassword,
        columns: ColumnTable.internetPassword + ColumnTable.common,
        namings: [[.server, .account]],
        indexes: [["srvr", "acct"], ["acct"], ["labl"]]
    )
    private static let certificate = ItemSchema(
        .certificate,
        columns: ColumnTable.certificate + ColumnTable.common,
        namings: [[.issuer, "slnr"]],
        indexes: [["issr", "slnr"], ["subj"], ["skid"], ["pkhh"], ["labl"]],
        defaultAccessibility: .always
    )
    private static let key = ItemSchema(
        .key,
        columns: ColumnTable.key + ColumnTable.common,
        namings: [["klbl"], ["atag", .keyClass]],
        indexes: [["klbl"], ["atag"], ["labl"]]
    )
    // Any column of a certificate or a key may be named in a query for identities.
    private static let identity = ItemSchema(
        .identity,
        columns: ColumnTable.certificate + ColumnTable.key + ColumnTable.common,
        namings: [],
        indexes: []
    )
}
