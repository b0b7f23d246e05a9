// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Which items a query means, as terms all of which must hold, and where it looks for them.
///
/// The terms and what an operation asks the store for come from one place, ``forEachTerm(_:)``: what explains a result
/// counts by the very conditions that made it.
struct SearchPlan: Sendable {
    let query: Query
    /// Where to look if the query names no group; `nil` for everywhere.
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
    private static let mostProbes = 256

    /// One filter for each primary key that the query spells out, in the order of the client's groups.
    ///
    /// A primary key is spelled out when every part that an add fills in is given, and the group is one of a list that
    /// is not too long. Parts that an item may lack count as absent: a row that has them is found by ``selection(_:)``.
    ///
    /// Search tags cost more than anything else in a short call, so each is made when it is asked for.
    func primaryKeyFilters(_ tags: SearchTags) -> some Sequence<RowFilter> {
        let schema = query.schema
        var key = query.attributes
        if case .exactly(let value) = query.effectiveScope { key[.synchronizable] = value }
        let isComplete = schema.primaryKey.allSatisfy { column in
            column.name == .accessGroup || column.defaultValue == nil || key[column.name] != nil
        }
        let named = isComplete && query.reference == nil ? namedGroups() ?? [] : []
        let names = named.count <= Self.mostProbes ? named : []
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

    /// Calls `body` with each term that the store can judge, the class excepted.
    private func forEachTerm(_ body: (SearchTerm) -> Void) {
        switch query.reference {
        case .item(_, let identifier)?: body(.identifier(identifier))
        // Row numbers are used again after a delete, and no legacy reference is ever handed out: none means an item.
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
/// Any of them can be counted alone, or all but some (``RowSelection/narrow(by:_:)``).
enum SearchTerm: Sendable, Hashable {
    /// An item of a class.
    case itemClass(ItemClass)
    /// The item of a persistent reference.
    case identifier(ItemIdentifier)
    /// An attribute has a value; access group and synchronizability are attributes like any.
    case attribute(AttributeName, AttributeValue)
    /// The item is in one of the client's groups.
    case accessGroups([String])
    /// The protection class, which lies beside the row in the clear.
    case protection(String)
    /// The item did not go with the last passcode, whose keys were of this generation.
    case notDestroyed(UInt32)
    /// What only the open item can answer.
    case contents(MatchConditions.Condition)
    /// An attribute that was given and is no condition.
    case ignored(AttributeName)
    /// Nothing meets the term that was given under a key; what it is.
    case nothing(key: String, _ what: String)

    /// The key of a dictionary by which a report names the term; `agrp` for the client's groups as well, and `pdmn` for
    /// what a passcode took away.
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

    /// Whether the tag of a whole primary key stands for the term as well.
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
        case .attribute(let name, let value): filter.tags.append(tags.attributeTag(filter.itemClass, name, value))
        case .accessGroups(let groups):
            filter.accessGroups = Set(
                groups.map { tags.attributeTag(filter.itemClass, .accessGroup, .string($0)).tag }
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
