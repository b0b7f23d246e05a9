// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// A query in terms of tags: which rows may match, found without opening any.
struct RowSearch {
    /// The rows that match every condition; `nil` when no row can.
    let filter: RowFilter?

    /// The rows that have one of the primary keys that the query spells out; `nil` when it leaves one open.
    let byPrimaryKey: RowFilter?

    init(_ query: Query, _ groups: AccessGroups, _ tags: SearchTags) {
        guard let basis = Self.basis(query) else {
            filter = nil
            byPrimaryKey = nil
            return
        }
        filter = Self.full(basis, query, groups, tags)
        byPrimaryKey = Self.probe(basis, query, groups, tags)
    }

    /// Conditions that need no tag.
    private static func basis(_ query: Query) -> RowFilter? {
        var filter = RowFilter(query.itemClass)
        switch query.reference {
        case .item(_, let identifier)?: filter.identifier = identifier
        case .row(_, let number)?: filter.rowNumber = number
        case .token?: return nil
        case nil: break
        }
        // The multi-user identifier is always empty here, and no live row is a tombstone.
        if case .data(let user)? = query.attributes[.user], !user.isEmpty { return nil }
        if let tombstone = query.attributes[.tombstone], tombstone != .number(.integer(0)) { return nil }
        // An access control in a query does not filter, and switches the accessibility filter off.
        if query.accessControl == nil, case .string(let protection)? = query.attributes[.accessible] {
            filter.protection = protection
        }
        return filter
    }

    private static func full(
        _ basis: RowFilter,
        _ query: Query,
        _ groups: AccessGroups,
        _ tags: SearchTags
    ) -> RowFilter {
        var filter = basis
        filter.tags = self.tags(query, tags) { _ in true }
        if query.attributes[.accessGroup] == nil {
            filter.accessGroups = groups.searched?.map { groupTag($0, query.schema, tags) }
        }
        return filter
    }

    /// A primary key is spelt out when every part that an add fills in is given, and the group is one of a short list.
    ///
    /// Parts that an item may lack count as absent: a row that has them is found by the full filter.
    private static func probe(
        _ basis: RowFilter,
        _ query: Query,
        _ groups: AccessGroups,
        _ tags: SearchTags
    ) -> RowFilter? {
        let schema = query.schema
        guard query.reference == nil, case .exactly(let synchronizable) = query.scope ?? .local,
            let names = Self.groups(query, groups), names.count <= 8
        else { return nil }
        var key = query.attributes
        key[.synchronizable] = synchronizable
        let isComplete = schema.primaryKey.allSatisfy { column in
            column.name == .accessGroup || column.defaultValue == nil || key[column.name] != nil
        }
        guard isComplete else { return nil }
        var filter = basis
        filter.tags = self.tags(query, tags) { !$0.isPrimaryKey }
        filter.primaryKeys = names.map { name in
            key[.accessGroup] = .string(name)
            return tags.primaryKeyTag(schema, key)
        }
        return filter
    }

    private static func groups(_ query: Query, _ groups: AccessGroups) -> [String]? {
        guard let group = query.attributes[.accessGroup] else { return groups.searched }
        guard case .string(let name) = group else { return nil }
        return [name]
    }

    private static func tags(
        _ query: Query,
        _ tags: SearchTags,
        _ isIncluded: (Column) -> Bool
    ) -> [AttributeTag] {
        var attributes = query.attributes
        if case .exactly(let value) = query.effectiveScope { attributes[.synchronizable] = value }
        return query.schema.searchable.compactMap { column in
            guard isIncluded(column), let value = attributes[column.name] else { return nil }
            return AttributeTag(name: column.name, tag: tags.tag(query.itemClass, column, value))
        }
    }

    private static func groupTag(_ name: String, _ schema: ItemSchema, _ tags: SearchTags) -> SearchTag {
        guard let column = schema[.accessGroup] else { preconditionFailure("every class has an access group") }
        return tags.tag(schema.itemClass, column, .string(name))
    }
}

extension Query {
    /// The synchronizability that is looked for: without one, local items, or any by a persistent reference.
    var effectiveScope: SynchronizableScope { scope ?? (reference == nil ? .local : .any) }
}
