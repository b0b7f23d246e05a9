// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Tree T2: nothing was found (`errSecItemNotFound`).
///
/// It delegates to T5 if a group is the reason.
enum NotFoundTree {
    static func diagnosis(_ examination: Examination) -> Diagnosis {
        var path = ["T2.1"]
        if let invalid = InvalidQuery.diagnosis(examination) { return invalid.after(path) }
        guard let search = examination.explanation.search, let nearMisses = examination.nearMisses else {
            return Diagnosis(.notFoundUnexplained, path: path + ["T2.7"])
        }
        path.append("T2.2")
        let isByReference = search.terms.contains { $0.key == PropertyKey.valuePersistentReference }
        if isByReference, nearMisses.near.isEmpty {
            return Diagnosis(
                .danglingReference,
                path: path,
                confidence: VerdictConfidence.certain,
                because: ["no row has the persistent reference of the query"]
            )
        }
        path.append("T2.3")
        if !isByReference, !nearMisses.hasKeyEqualItem(search), let past = HistoryOfAnItem.diagnosis(examination) {
            return past.after(path.dropLast())
        }
        path.append("T2.4")
        if nearMisses.near.isEmpty {
            if let half = missingHalf(search) { return half.after(path.dropLast()) }
            if HistoryOfAnItem.isStored(examination) {
                return Diagnosis(
                    .notFoundUnexplained,
                    path: path + ["T2.7"],
                    confidence: VerdictConfidence.guess,
                    because: ["the history stored such an item, and nothing in it tells where it went"]
                )
            }
            let isKnown = examination.call.history != nil
            return Diagnosis(
                .neverStored,
                path: path,
                confidence: isKnown ? VerdictConfidence.computed : VerdictConfidence.guess,
                because: ["of \(population(search)) items none comes near to the query"]
            )
        }
        path.append("T2.5")
        guard let intended = examination.intended else {
            let nearest = nearMisses.near.prefix(2).map { "at distance \($0.distance): \(ItemText.short($0.item))" }
            return Diagnosis(.ambiguousIntent, path: path, confidence: VerdictConfidence.guess, because: nearest)
        }
        path.append("T2.6")
        let steps = path
        return failedPredicates(of: intended, examination)?.after(steps.dropLast())
            ?? Diagnosis(.notFoundUnexplained, path: steps + ["T2.7"], about: intended)
    }

    private static func population(_ search: ExplainedSearch) -> Int { search.population.values.reduce(0, +) }

    // MARK: - Identities

    /// The missing half of an identity, if the other one exists.
    private static func missingHalf(_ search: ExplainedSearch) -> Diagnosis? {
        guard search.itemClass == .identity else { return nil }
        let halves = search.loneHalves
        let (certificate, key) = (
            halves.first { $0.itemClass == .certificate }, halves.first { $0.itemClass == .key }
        )
        guard let half = certificate ?? key else { return nil }
        var because: [String] = []
        if case .data(let hash)? = certificate?.attributes?[.publicKeyHash] {
            because.append("the certificate's public key hash is \(hash.hexadecimal)")
        }
        if case .data(let label)? = key?.attributes?[.applicationLabel] {
            because.append("the key's application label is \(label.isEmpty ? "empty" : label.hexadecimal)")
        }
        return Diagnosis(
            .identityHalfMissing,
            path: ["T2.4"],
            names: [.half: [certificate == nil ? "certificate" : "key"]],
            because: because,
            about: Candidate(half)
        )
    }

    // MARK: - The heaviest predicate

    /// The kinds of predicates, by precedence among equal weights.
    private static let order: [Difference.Kind] = [
        .itemClass, .attribute, .excludedGroup, .foreignGroup, .synchronizable, .keychain, .reference,
    ]

    /// The kinds that an item fails, the heaviest first; all attributes are one.
    private static func kinds(_ candidate: Candidate) -> [Difference.Kind] {
        let weights = Dictionary(candidate.differences.map { ($0.kind, $0.weight) }, uniquingKeysWith: max)
        return order.filter { weights[$0] != nil }.enumerated()
            .sorted { left, right in
                let (first, second) = (weights[left.element] ?? 0, weights[right.element] ?? 0)
                return first != second ? first > second : left.offset < right.offset
            }
            .map(\.element)
    }

    static func heaviest(_ candidate: Candidate) -> Difference.Kind? { kinds(candidate).first }

    /// The verdicts for the failed predicates of the intended item: the heaviest is the verdict, the others are `also`.
    static func failedPredicates(of item: Candidate, _ examination: Examination) -> Diagnosis? {
        let kinds = kinds(item)
        var diagnoses = kinds.compactMap { diagnosis(of: $0, item, examination) }
        // They stop the corrected call next.
        let obstacles = InteractionTree.obstacles(of: item, examination)
        if diagnoses.isEmpty, item.isGuarded, examination.explanation.search?.authenticationUI == .skip {
            return Diagnosis(.aclNeedsUser, path: ["T2.6"], about: item)
        }
        guard !diagnoses.isEmpty else { return nil }
        var first = diagnoses.removeFirst()
        first.candidate = item
        let certainty = certainty(of: item, examination)
        if first.confidence == VerdictConfidence.computed, let certainty { first.confidence = certainty }
        return first.adding(diagnoses.flatMap { [$0.verdict] + $0.also } + obstacles)
    }

    /// More than ``VerdictConfidence/computed`` if one relaxation of one predicate leads to this item alone; less if
    /// the client was assumed.
    private static func certainty(of item: Candidate, _ examination: Examination) -> Double? {
        if examination.call.clientSource == .assumed { return VerdictConfidence.assumed }
        guard let relaxations = examination.nearMisses?.relaxations, relaxations.count == 1,
            relaxations[0].dropped.count == 1, relaxations[0].count == 1
        else { return nil }
        return VerdictConfidence.certain
    }

    private static func diagnosis(
        of kind: Difference.Kind,
        _ item: Candidate,
        _ examination: Examination
    ) -> Diagnosis? {
        guard let found = predicate(kind, of: item, in: examination) else { return nil }
        // The verdict of this tree is `also`.
        return UpdatedProgramTree.changedQuery(kind, of: item, in: examination)?.adding([found.verdict]) ?? found
    }

    private static func predicate(
        _ kind: Difference.Kind,
        of item: Candidate,
        in examination: Examination
    ) -> Diagnosis? {
        switch kind {
        case .itemClass:
            return Diagnosis(
                .classMismatch,
                path: ["T2.6"],
                names: [.itemClass: [item.item.itemClass.rawValue]],
                because: ["the query looks for another class than the item has"]
            )
        case .attribute: return attributes(item)
        case .excludedGroup: return UpdatedProgramTree.excludedGroup(item, examination)
        case .foreignGroup: return UpdatedProgramTree.foreignGroup(item, examination)
        case .synchronizable:
            return Diagnosis(
                .syncScope,
                path: ["T2.6"],
                names: [.attribute: [AttributeName.synchronizable.description]],
                because: ["the item is \(item.item.isSynchronizable == true ? "synchronizable" : "local")"]
            )
        case .keychain: return FrontEndTree.otherKeychain(item, examination)
        case .reference: return nil
        }
    }

    private static func attributes(_ item: Candidate) -> Diagnosis {
        let differences = item.attributeDifferences.sorted { $0.isKeyAttribute && !$1.isKeyAttribute }
        let because = differences.prefix(3).map { sentence($0) }
        let keys = differences.map(\.key)
        guard let only = differences.first, differences.count == 1 else {
            return Diagnosis(.attributesNarrow, path: ["T2.6"], names: [.attribute: keys], because: because)
        }
        let verdict: VerdictID = only.relation.isFormat ? .attributeFormat : .attributeNarrows
        return Diagnosis(
            verdict,
            path: ["T2.6"],
            names: [.attribute: keys, .relation: [only.relation.rawValue]],
            because: because
        )
    }

    /// A sentence about a difference.
    static func sentence(_ difference: Difference) -> String {
        let stored = difference.stored.map { ItemText.value($0) } ?? "nothing"
        let queried = difference.queried.map { ItemText.value($0) } ?? "a condition"
        return
            "\(KeyNames.constant(difference.key)): queried \(queried), stored \(stored) (\(difference.relation.rawValue))"
    }
}
