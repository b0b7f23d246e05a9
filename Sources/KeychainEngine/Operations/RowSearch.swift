// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// A query in terms of tags: which rows may match, found without opening any.
///
/// Tags cost more than anything else in a short call, so they are made when they are asked for.
struct RowSearch {
    private let query: Query
    private let groups: [String]?
    private let tags: SearchTags
    private let passcodeGeneration: UInt32?

    /// A search.
    ///
    /// - Parameters:
    ///   - query: what is looked for.
    ///   - groups: where to look if the query names no group; `nil` for everywhere.
    ///   - tags: the maker of search tags.
    ///   - passcodeGeneration: leaves out items that went with an earlier passcode; `nil` finds them, too.
    init(_ query: Query, in groups: [String]?, _ tags: SearchTags, passcodeGeneration: UInt32?) {
        self.query = query
        self.groups = groups
        self.tags = tags
        self.passcodeGeneration = passcodeGeneration
    }

    /// The rows that match every condition; `nil` when no row can.
    func filter() -> RowFilter? {
        guard var filter = basis() else { return nil }
        filter.tags = attributeTags { _ in true }
        if query.attributes[.accessGroup] == nil {
            filter.accessGroups = groups.map { Set($0.map(groupTag)) }
        }
        return filter
    }

    /// More groups than this are not probed one by one.
    private static let mostProbes = 256

    /// One filter for each primary key that the query spells out, in the order of the client's groups.
    ///
    /// A primary key is spelt out when every part that an add fills in is given, and the group is one of a list that is not
    /// too long. Parts that an item may lack count as absent: a row that has them is found by ``filter()``.
    func primaryKeyFilters() -> some Sequence<RowFilter> {
        let basis = basis()
        var key = query.attributes
        if case .exactly(let value) = query.effectiveScope { key[.synchronizable] = value }
        let isComplete = query.schema.primaryKey.allSatisfy { column in
            column.name == .accessGroup || column.defaultValue == nil || key[column.name] != nil
        }
        let named = isComplete && basis != nil && query.reference == nil ? namedGroups() ?? [] : []
        let names = named.count <= Self.mostProbes ? named : []
        return names.lazy.compactMap { [key] name in
            guard var filter = basis else { return nil }
            var key = key
            key[.accessGroup] = .string(name)
            filter.primaryKey = tags.primaryKeyTag(query.schema, key)
            filter.tags = attributeTags { !$0.isPrimaryKey }
            return filter
        }
    }

    /// Conditions that need no tag.
    private func basis() -> RowFilter? {
        var filter = RowFilter(query.itemClass)
        filter.passcodeGeneration = passcodeGeneration
        switch query.reference {
        case .item(_, let identifier)?: filter.identifier = identifier
        // Row numbers are used again after a delete, and no legacy reference is ever handed out: none means an item.
        case .row?, .token?: return nil
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

    private func namedGroups() -> [String]? {
        guard let group = query.attributes[.accessGroup] else { return groups }
        guard case .string(let name) = group else { return nil }
        return [name]
    }

    private func attributeTags(_ isIncluded: (Column) -> Bool) -> [AttributeTag] {
        var attributes = query.attributes
        if case .exactly(let value) = query.effectiveScope { attributes[.synchronizable] = value }
        return query.schema.searchable.compactMap { column in
            guard isIncluded(column), let value = attributes[column.name] else { return nil }
            return AttributeTag(name: column.name, tag: tags.tag(query.itemClass, column, value))
        }
    }

    private func groupTag(_ name: String) -> SearchTag {
        guard let column = query.schema[.accessGroup] else { preconditionFailure("every class has an access group") }
        return tags.tag(query.itemClass, column, .string(name))
    }
}

extension Query {
    /// The synchronizability that is looked for: without one, local items, or any by a persistent reference.
    var effectiveScope: SynchronizableScope { scope ?? (reference == nil ? .local : .any) }
}
