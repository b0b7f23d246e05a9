// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item of the store, and its distance from a query.
///
/// The engine's terms decide whether a predicate holds; relation and distance are added here.
package struct Candidate: Sendable {
    /// The item, as the owner of the store sees it.
    package let item: ExplainedItem

    /// The predicates that it fails, in the order of the terms.
    package let differences: [Difference]

    /// Whether its keys are locked, if the call needs them.
    package let isLockedAway: Bool

    /// Whether its access control blocks the call, if the call needs to read it.
    package let isGuarded: Bool

    /// How many key attributes that the query names are equal.
    package let equalKeyAttributes: Int

    /// The distance without lock and access control.
    package let distanceOfPredicates: Int

    /// How far the item is from the query: the sum of the weights of its differences.
    package var distance: Int {
        distanceOfPredicates + (isLockedAway ? Weight.protection : 0) + (isGuarded ? Weight.protection : 0)
    }

    /// The keys of the predicates that it fails, which do not include the lock state and access control.
    package var failedKeys: Set<String> { Set(differences.map(\.key)) }

    /// The attribute predicates and match filters that it fails.
    package var attributeDifferences: [Difference] { differences.filter { $0.kind == .attribute } }

    /// Whether it fails no condition of the query.
    package var matches: Bool { differences.isEmpty }

    /// Whether nothing keeps it from the client.
    package var isVisible: Bool { item.isInClientGroups }

    func difference(_ kind: Difference.Kind) -> Difference? { differences.first { $0.kind == kind } }
}

/// A predicate of a query that an item fails.
package struct Difference: Sendable {
    /// The key by which reports name it.
    package let key: String
    package let kind: Kind
    package let relation: Relation
    package let queried: AttributeValue?
    package let stored: AttributeValue?
    package let isKeyAttribute: Bool
    package let weight: Int

    /// The kind of predicate.
    package enum Kind: Sendable, Hashable {
        case itemClass
        /// An attribute, or a match filter.
        case attribute
        /// The group is in the client's list, and yet excluded.
        case excludedGroup
        /// The group is not in the client's list.
        case foreignGroup
        case synchronizable
        /// The item is in the other keychain of a Mac.
        case keychain
        /// It is not the row that a persistent reference names.
        case reference
    }
}

/// The weight of each failed predicate.
enum Weight {
    static let format = 1
    static let otherRelease = 1
    static let attribute = 2
    static let synchronizable = 2
    static let excludedGroup = 3
    static let otherProgram = 3
    static let keychain = 3
    static let protection = 3
    static let keyAttribute = 4
    static let itemClass = 5
    static let foreignGroup = 6

    /// The maximum distance of a near miss.
    static let farthestNear = 12
}

// MARK: - From an explanation

extension Candidate {
    /// An item of a search, of this keychain or of the file-based one of a Mac.
    init(_ item: ExplainedItem, _ search: ExplainedSearch, in call: ExaminedCall, isInFile: Bool = false) {
        self.item = item
        let keyColumns = Set(search.itemClass.keyColumns.map(\.description))
        let failed = item.failed.compactMap { Difference(search.terms[$0], item, keyColumns: keyColumns, of: call) }
        differences = failed + (isInFile ? [.otherKeychain] : [])
        distanceOfPredicates = differences.reduce(0) { $0 + $1.weight }
        equalKeyAttributes = search.terms.indices.count { index in
            keyColumns.contains(search.terms[index].key) && !item.failed.contains(index)
                && !item.passedOver.contains(index)
        }
        let needsKeys = call.function != .delete
        isLockedAway = needsKeys && item.condition == .locked
        isGuarded = needsKeys && Self.isGuarded(item.access, in: search, for: call)
    }

    private static func isGuarded(
        _ access: ExplainedItem.Access,
        in search: ExplainedSearch,
        for call: ExaminedCall
    ) -> Bool {
        switch access {
        case .granted, .unknown: false
        case .denied, .demanded(.some): true
        case .demanded(nil): call.isUnattended || search.authenticationUI != .allow
        }
    }
}

extension Difference {
    /// A program that was renamed is more likely than another one that has the same item.
    private static func weight(ofGroup item: ExplainedItem, for groups: [String]) -> Int {
        if item.isInClientGroups { return Weight.excludedGroup }
        guard let program = item.group.flatMap({ ProgramName(group: $0, otherThanOf: groups) }) else {
            return Weight.foreignGroup
        }
        return program.isRelease(of: groups) ? Weight.otherRelease : Weight.otherProgram
    }

    /// The item is in the other keychain.
    fileprivate static let otherKeychain = Difference(
        key: PropertyKey.useDataProtectionKeychain,
        kind: .keychain,
        relation: .different,
        queried: nil,
        stored: nil,
        isKeyAttribute: false,
        weight: Weight.keychain
    )

    /// Creates the difference for a term that an item fails; `nil` if the term is not a predicate.
    fileprivate init?(
        _ term: ExplainedTerm,
        _ item: ExplainedItem,
        keyColumns: Set<String>,
        of call: ExaminedCall
    ) {
        key = term.key
        queried = term.value
        isKeyAttribute = keyColumns.contains(term.key)
        switch term.kind {
        case .itemClass:
            (kind, relation, weight, stored) = (.itemClass, .different, Weight.itemClass, nil)
        case .accessGroup, .clientGroups:
            kind = item.isInClientGroups ? .excludedGroup : .foreignGroup
            (relation, stored) = (.different, item.group.map { .string($0) })
            weight = Self.weight(ofGroup: item, for: call.request.client.accessGroups)
        case .synchronizable:
            (kind, relation, weight) = (.synchronizable, .different, Weight.synchronizable)
            stored = item.isSynchronizable.map { .number(.integer($0 ? 1 : 0)) }
        case .match:
            (kind, relation, weight, stored) = (.attribute, .different, Weight.attribute, nil)
        case .attribute, .level, .nothing:
            if term.key == PropertyKey.valuePersistentReference {
                (kind, relation, weight, stored) = (.reference, .different, Weight.keyAttribute, nil)
                return
            }
            kind = .attribute
            let name = AttributeName(term.key)
            stored = term.kind == .level ? .string(item.level) : name.flatMap { item.attributes?[$0] }
            if item.attributes != nil, term.kind != .level, let queried,
                let column = name.flatMap({ ItemSchema.of(item.itemClass)[$0] })
            {
                relation = Relation(column, queried: queried, stored: stored)
            } else {
                relation = .different
            }
            weight = relation.isFormat ? Weight.format : isKeyAttribute ? Weight.keyAttribute : Weight.attribute
        case .reference:
            (kind, relation, weight, stored) = (.reference, .different, Weight.keyAttribute, nil)
        case .passcode, .ignored:
            return nil
        }
    }
}
