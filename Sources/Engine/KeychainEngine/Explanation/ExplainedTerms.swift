// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension ExplainedTerm {
    /// A term of a search as a report has it.
    init(_ term: SearchTerm, of query: Query) {
        self.init(key: term.key, kind: Kind(term))
        switch term {
        case .itemClass(let itemClass): value = .string(itemClass.rawValue)
        case .identifier(let identifier): value = .data(identifier.bytes)
        case .attribute(let name, let given):
            value = given
            isGiven = name != .synchronizable || query.scope != nil
        case .accessGroups(let list):
            groups = list
            isGiven = false
        case .protection(let level): value = .string(level)
        case .notDestroyed: isGiven = false
        case .ignored(let name): value = query.attributes[name]
        case .contents(.digest(let digest)): value = digest
        case .contents(.hostOrSubdomain(let host)): value = .string(host)
        case .contents(.emailAddress(let address)): value = .string(address)
        case .contents, .nothing: break
        }
    }

    /// Whether it concerns an attribute that describes the item, so that an item that meets it may be the intended one.
    var isAboutContents: Bool { kind == .attribute || kind == .level || kind == .reference }

    /// The distance that failing the term adds between an item and the search, for sorting.
    func weight(_ itemClass: ItemClass) -> Int {
        switch kind {
        case .itemClass: 5
        case .accessGroup, .clientGroups: 3
        case .synchronizable: 2
        case .attribute:
            ItemSchema.of(itemClass).identifyingColumns.contains { $0.name.description == key } ? 4 : 2
        case .level, .passcode, .match: 2
        case .reference, .nothing: 12
        case .ignored: 0
        }
    }
}

extension ExplainedTerm.Kind {
    fileprivate init(_ term: SearchTerm) {
        switch term {
        case .itemClass: self = .itemClass
        case .identifier: self = .reference
        case .attribute(.accessGroup, _): self = .accessGroup
        case .attribute(.synchronizable, _): self = .synchronizable
        case .attribute: self = .attribute
        case .accessGroups: self = .clientGroups
        case .protection: self = .level
        case .notDestroyed: self = .passcode
        case .contents: self = .match
        case .ignored: self = .ignored
        case .nothing: self = .nothing
        }
    }
}

extension ExplainedSearch {
    /// The search for the items that a query selects, before any item is examined.
    init(_ query: Query, _ terms: [SearchTerm]) {
        self.init(
            itemClass: query.itemClass,
            terms: terms.map { ExplainedTerm($0, of: query) },
            limit: Limit(query.match.limit),
            hasExplicitLimit: query.match.keys.contains(PropertyKey.matchLimit),
            returns: query.returns.keys,
            authenticationUI: AuthenticationUI(query.authenticationUI)
        )
    }

    /// Takes in how many items fail which terms.
    mutating func recordFailures(_ failures: [Failures: Int]) {
        patterns = failures.map { Pattern(itemClass: $0.key.itemClass, failed: $0.key.terms, count: $0.value) }
            .sorted { left, right in
                if left.count != right.count { return left.count > right.count }
                if left.itemClass != right.itemClass { return left.itemClass.rawValue < right.itemClass.rawValue }
                return left.failed.lexicographicallyPrecedes(right.failed)
            }
        for pattern in patterns {
            for index in pattern.failed {
                terms[index].ruledOut += pattern.count
                if pattern.failed.count == 1 { terms[index].ruledOutAlone += pattern.count }
            }
            if pattern.failed.isEmpty { matchCount += pattern.count }
        }
    }

    /// A class and terms, by index.
    struct Failures: Hashable {
        let itemClass: ItemClass
        let terms: [Int]
    }
}

extension ExplainedSearch.Limit {
    fileprivate init(_ limit: MatchLimit) {
        switch limit {
        case .one: self = .one
        case .atMost(let count): self = .atMost(count)
        case .all: self = .all
        }
    }
}

extension ExplainedSearch.AuthenticationUI {
    fileprivate init(_ given: KeychainEngine.AuthenticationUI) {
        switch given {
        case .allow: self = .allow
        case .fail: self = .fail
        case .skip: self = .skip
        }
    }
}

extension ReturnFlags {
    /// The keys of the flags, in alphabetical order.
    fileprivate var keys: [String] {
        [
            PropertyKey.returnAttributes, PropertyKey.returnData, PropertyKey.returnPersistentReference,
            PropertyKey.returnReference,
        ].filter { key in ReturnFlags(key: key).map { contains($0) } ?? false }
    }
}
