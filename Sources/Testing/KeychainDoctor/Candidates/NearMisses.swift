// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The items that nearly match a query, and the predicates that would have to be omitted to find them.
package struct NearMisses: Sendable {
    /// The near items, the nearest first; those that match among them.
    package let near: [Candidate]

    /// The predicates that could be omitted from the query.
    package let relaxations: [Relaxation]

    /// The intended item.
    package let intended: Intent

    /// Whether there are more near items than were examined.
    package let isBounded: Bool

    /// The intended item of a query.
    package enum Intent: Sendable {
        case item(Candidate)
        /// Several are equally near, or the near ones cannot be intended.
        case ambiguous
        /// Nothing is near.
        case nothing
    }

    /// A set of predicates whose removal lets near items match.
    package struct Relaxation: Sendable {
        /// The keys of the predicates.
        package let dropped: Set<String>
        /// How many items would match.
        package let count: Int
        /// The near items among them, by their place in ``NearMisses/near``.
        package let items: [Int]

        /// Whether more than one item would match.
        package var isAmbiguous: Bool { count > 1 }
    }

    /// The most predicates that a relaxation leaves out.
    private static let largestRelaxation = 3

    init(_ search: ExplainedSearch, in call: ExaminedCall) {
        self.init(search, in: call, others: [])
    }

    /// The near misses of a search, with those of another keychain.
    init(_ search: ExplainedSearch, in call: ExaminedCall, others: [Candidate]) {
        let candidates = search.candidates.compactMap { item -> Candidate? in
            // Items removed with a passcode no longer exist.
            item.condition == .destroyed ? nil : Candidate(item, search, in: call)
        }
        near = (candidates + others).filter { Self.isNear($0, search) }.sorted(by: Self.isNearer)
        relaxations = Self.relaxations(near, search)
        isBounded = search.isBounded
        intended = Self.intended(among: near, relaxations: relaxations, in: search)
    }

    private static func isNear(_ candidate: Candidate, _ search: ExplainedSearch) -> Bool {
        if search.terms.contains(where: { $0.kind == .reference }) {
            return candidate.difference(.reference) == nil
        }
        guard candidate.distance <= Weight.farthestNear else { return false }
        let attributes = search.terms.indices.filter { search.terms[$0].isAttributePredicate }
        guard !attributes.isEmpty else { return candidate.item.itemClass == search.itemClass }
        let formats = Set(candidate.differences.filter(\.relation.isFormat).map(\.key))
        return attributes.contains { index in
            !candidate.item.passedOver.contains(index) && !candidate.item.unknown.contains(index)
                && (!candidate.item.failed.contains(index) || formats.contains(search.terms[index].key))
        }
    }

    private static func isNearer(_ left: Candidate, _ right: Candidate) -> Bool {
        if left.distance != right.distance { return left.distance < right.distance }
        if left.equalKeyAttributes != right.equalKeyAttributes {
            return left.equalKeyAttributes > right.equalKeyAttributes
        }
        return left.modified > right.modified
    }

    // MARK: - Relaxations

    private static func relaxations(_ near: [Candidate], _ search: ExplainedSearch) -> [Relaxation] {
        var sets = Set(near.map(\.failedKeys).filter { !$0.isEmpty && $0.count <= largestRelaxation })
        sets = sets.filter { set in !sets.contains { $0.isStrictSubset(of: set) } }
        return sets.map { set in
            let items = near.indices.filter { near[$0].failedKeys.isSubset(of: set) }
            return Relaxation(
                dropped: set,
                count: count(dropping: set, listed: items.count, near: near, in: search),
                items: items
            )
        }
        .sorted { ($0.dropped.count, $0.dropped.sorted()) < ($1.dropped.count, $1.dropped.sorted()) }
    }

    /// The number of items that match without some predicates: of all items if the store can evaluate it, else of those
    /// that were examined.
    private static func count(
        dropping dropped: Set<String>,
        listed: Int,
        near: [Candidate],
        in search: ExplainedSearch
    ) -> Int {
        guard search.terms.allSatisfy({ $0.isJudgedByStore || dropped.contains($0.key) }) else { return listed }
        let stored = search.patterns.reduce(0) { count, pattern in
            let terms = pattern.failed.map { search.terms[$0] }
            let isLeft = terms.allSatisfy { dropped.contains($0.key) && $0.kind != .passcode }
            return isLeft ? count + pattern.count : count
        }
        return max(stored, listed)
    }

    // MARK: - The intended item

    private static func intended(
        among near: [Candidate],
        relaxations: [Relaxation],
        in search: ExplainedSearch
    ) -> Intent {
        if near.isEmpty { return .nothing }
        let countsAlikeAsOne = search.limit == .all
        let alone = Set(
            relaxations.filter { relaxation in
                let kinds = Set(relaxation.items.map { near[$0].failedKeys })
                let isOne = relaxation.count == 1 || countsAlikeAsOne && kinds.count == 1
                return relaxation.dropped.count == 1 && isOne
            }.flatMap(\.items)
        )
        let possible = near.indices.filter { alone.contains($0) || isKeyEqual(near[$0], search) || near[$0].matches }
            .map { near[$0] }
        guard let minimum = possible.map(\.distanceOfPredicates).min() else { return .ambiguous }
        let nearest = possible.filter { $0.distanceOfPredicates == minimum }
        let isOne = nearest.count == 1 || countsAlikeAsOne && Set(nearest.map(\.failedKeys)).count == 1
        return isOne ? .item(nearest[0]) : .ambiguous
    }

    /// Whether all key attributes that the query names and that the item's class has are equal or differ only in
    /// format.
    private static func isKeyEqual(_ candidate: Candidate, _ search: ExplainedSearch) -> Bool {
        if search.terms.contains(where: { $0.kind == .reference }) { return true }
        let keys = Set(search.itemClass.keyColumns.map(\.description))
        let formats = Set(candidate.differences.filter(\.relation.isFormat).map(\.key))
        let named = search.terms.indices.filter {
            search.terms[$0].kind != .ignored && keys.contains(search.terms[$0].key)
                && !candidate.item.passedOver.contains($0)
        }
        guard !named.isEmpty else { return false }
        return named.allSatisfy {
            !candidate.item.failed.contains($0) || formats.contains(search.terms[$0].key)
        }
    }
}

extension NearMisses {
    /// Whether an item of the class has every key attribute that the query names, or differs only in format; for a
    /// query without key attributes, whether any item is near.
    func hasKeyEqualItem(_ search: ExplainedSearch) -> Bool {
        let keys = Set(search.itemClass.keyColumns.map(\.description))
        guard search.terms.contains(where: { keys.contains($0.key) && $0.kind != .ignored }) else {
            return !near.isEmpty
        }
        return near.contains { $0.item.itemClass == search.itemClass && Self.isKeyEqual($0, search) }
    }
}

extension ExplainedTerm {
    /// Whether it is a predicate on an attribute that the query names or that its value reference contributes, or a
    /// match filter.
    var isAttributePredicate: Bool {
        switch kind {
        case .attribute, .level, .match: true
        case .nothing: key != PropertyKey.valuePersistentReference
        case .itemClass, .reference, .accessGroup, .clientGroups, .synchronizable, .passcode, .ignored: false
        }
    }
}

extension Candidate {
    /// The item's modification date; long ago if that cannot be read.
    var modified: Timestamp {
        if case .date(let date)? = item.attributes?[.modificationDate] { return date }
        return Timestamp(secondsSinceReferenceDate: -.infinity)
    }
}

/// Orders arrays of strings, element by element.
private func < (left: (Int, [String]), right: (Int, [String])) -> Bool {
    left.0 != right.0 ? left.0 < right.0 : left.1.lexicographicallyPrecedes(right.1)
}
