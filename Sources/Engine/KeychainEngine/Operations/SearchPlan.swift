// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The items that a query selects, as terms that must all hold, and where to search for them.
///
/// The terms and the operations' requests to the store have one source, ``forEachTerm(_:)``: explanations count by the
/// same conditions that produced the result.
struct SearchPlan: Sendable {
    let query: Query
    /// Where to search if the query specifies no group; `nil` for everywhere.
    let groups: [String]?
    /// Leaves out items that went with the last passcode, which are of this generation; `nil` leaves out none.
    let destroyedGeneration: UInt32?

    /// Every term, in the order in which reports name them.
    var terms: [SearchTerm] {
        var terms: [SearchTerm] = [.itemClass(query.itemClass)]
        forEachTerm { terms.append($0) }
        query.match.forEachCondition { terms.append(.contents($0)) }
        return terms
    }

    /// The rows that the terms select, but for what only the open item can answer.
    func selection(_ tags: SearchTags) -> RowSelection {
        var filter = RowFilter(query.itemClass)
        filter.tags.reserveCapacity(query.attributes.count + 1)
        var selection = RowSelection.rows(filter)
        forEachTerm { selection.narrow(by: $0, tags) }
        return selection
    }

    /// More groups than this are not probed one by one.
    private static let maximumProbes = 256

    /// One filter for each primary key that the query specifies fully, in the order of the client's groups.
    ///
    /// A primary key is specified fully if every part that an add fills in is given, and the group is one of a list
    /// that is not too long. Optional parts that are not given count as absent: a row that has them is found by
    /// ``selection(_:)``.
    ///
    /// Search tags dominate the cost of a short call, so each is created on demand.
    func primaryKeyFilters(_ tags: SearchTags) -> some Sequence<RowFilter> {
        let schema = query.schema
        var key = query.attributes
        if case .exactly(let value) = query.effectiveScope { key[.synchronizable] = value }
        let isComplete = schema.primaryKey.allSatisfy { column in
            column.name == .accessGroup || column.defaultValue == nil || key[column.name] != nil
        }
        let named = isComplete && query.reference == nil ? namedGroups() ?? [] : []
        let names = named.count <= Self.maximumProbes ? named : []
        return names.lazy.compactMap { [key] name in
            var selection = RowSelection.rows(RowFilter(query.itemClass))
            forEachTerm { term in
                if !term.isInPrimaryKey(schema) { selection.narrow(by: term, tags) }
            }
            guard var filter = selection.filter else { return nil }
            var key = key
            key[.accessGroup] = .string(name)
            filter.primaryKey = tags.primaryKeyTag(schema, key)
            return filter
        }
    }

    /// Calls `body` with each term that the store can evaluate, except for the class.
    private func forEachTerm(_ body: (SearchTerm) -> Void) {
        switch query.reference {
        case .item(_, let identifier)?: body(.identifier(identifier))
        // Row numbers are reused after a delete, and legacy references are never created: none refers to an item.
        case .row?: body(.nothing(key: PropertyKey.valuePersistentReference, "a legacy persistent reference"))
        case .token?: body(.nothing(key: PropertyKey.valuePersistentReference, "the reference of a token's item"))
        case nil: break
        }
        // In the order of their names.
        for (name, value) in query.attributes { body(term(name, value)) }
        if case .exactly(let value) = query.effectiveScope { body(.attribute(.synchronizable, value)) }
        if query.attributes[.accessGroup] == nil, let groups { body(.accessGroups(groups)) }
        if let destroyedGeneration { body(.notDestroyed(destroyedGeneration)) }
    }

    private func term(_ name: AttributeName, _ value: AttributeValue) -> SearchTerm {
        switch (name, value) {
        case (.digest, _): .contents(.digest(value))
        // The multi-user identifier is always empty here, and no live row is a tombstone.
        case (.user, .data(let user)):
            user.isEmpty ? .ignored(name) : .nothing(key: "\(name)", "a multi-user identifier that is not empty")
        case (.tombstone, _):
            value == .number(.integer(0)) ? .ignored(name) : .nothing(key: "\(name)", "a tombstone")
        // An access control does not filter, and switches the accessibility filter off.
        case (.accessible, .string(let protection)) where query.accessControl == nil: .protection(protection)
        default: query.schema[name]?.isSearchable ?? false ? .attribute(name, value) : .ignored(name)
        }
    }

    private func namedGroups() -> [String]? {
        guard let group = query.attributes[.accessGroup] else { return groups }
        guard case .string(let name) = group else { return nil }
        return [name]
    }
}

/// One condition of a search.
///
/// Each can be counted alone, or without some of the others (``RowSelection/narrow(by:_:)``).
enum SearchTerm: Sendable, Hashable {
    /// An item of a class.
    case itemClass(ItemClass)
    /// The item of a persistent reference.
    case identifier(ItemIdentifier)
    /// An attribute has a value; access group and synchronizability are attributes like any.
    case attribute(AttributeName, AttributeValue)
    /// The item is in one of the client's groups.
    case accessGroups([String])
    /// The protection class, which is stored with the row unencrypted.
    case protection(String)
    /// The item did not go with the last passcode, whose keys were of this generation.
    case notDestroyed(UInt32)
    /// A condition that requires the open item.
    case contents(MatchConditions.Condition)
    /// An attribute that was given but is not a condition.
    case ignored(AttributeName)
    /// A term that nothing meets, with the key of the term and a description.
    case nothing(key: String, _ what: String)

    /// The dictionary key by which a report identifies the term; also `agrp` for the client's groups, and `pdmn` for
    /// rows that were destroyed with a passcode.
    var key: String {
        switch self {
        case .itemClass: PropertyKey.itemClass
        case .identifier: PropertyKey.valuePersistentReference
        case .attribute(let name, _), .ignored(let name): name.description
        case .accessGroups: AttributeName.accessGroup.description
        case .protection, .notDestroyed: AttributeName.accessible.description
        case .contents(let condition): condition.key
        case .nothing(let key, _): key
        }
    }

    /// Whether the tag of a whole primary key covers the term as well.
    fileprivate func isInPrimaryKey(_ schema: ItemSchema) -> Bool {
        switch self {
        case .attribute(let name, _): schema[name]?.isPrimaryKey ?? false
        case .accessGroups: true
        default: false
        }
    }
}

/// The rows that some terms select.
enum RowSelection: Sendable {
    case rows(RowFilter)
    /// None, because of a term that nothing meets.
    case nothing(SearchTerm)

    /// The filter; `nil` when no row can match.
    var filter: RowFilter? {
        if case .rows(let filter) = self { filter } else { nil }
    }

    /// Leaves out what does not meet a term; one that only the open item can answer leaves out nothing.
    mutating func narrow(by term: SearchTerm, _ tags: SearchTags) {
        guard case .rows(var filter) = self else { return }
        // Given up, so that the filter is not copied.
        self = .nothing(term)
        switch term {
        case .itemClass(let itemClass):
            guard itemClass == filter.itemClass else { return }
        case .identifier(let identifier): filter.identifier = identifier
        case .attribute(let name, let value):
            filter.tags.append(tags.attributeTag(in: filter.itemClass, name: name, value: value))
        case .accessGroups(let groups):
            filter.accessGroups = Set(
                groups.map { tags.attributeTag(in: filter.itemClass, name: .accessGroup, value: .string($0)).tag }
            )
        case .protection(let protection): filter.protection = protection
        case .notDestroyed(let generation): filter.destroyedGeneration = generation
        case .contents, .ignored: break
        case .nothing: return
        }
        self = .rows(filter)
    }

    /// Why nothing was found.
    var absence: KeychainError {
        if case .nothing(.nothing(_, let what)) = self {
            return KeychainError(.itemNotFound, "no item matches \(what)")
        }
        return KeychainError(.itemNotFound, "no item matches")
    }
}
