// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Holds every pair of a certificate and a private key against the terms of a search for identities.
struct IdentityExplainer {
    let search: SearchExplainer
    let certificates: SearchPlan
    let keys: SearchPlan

    private var transaction: ItemTransaction { search.rows.transaction }

    /// The terms of both halves, without duplicates, and the positions of each half's terms among them.
    private struct Terms {
        private(set) var all: [SearchTerm] = [.itemClass(.identity)]
        private(set) var indices: [IdentityHalf: [Int]] = [:]

        init(_ certificates: SearchPlan, _ keys: SearchPlan) {
            for (half, plan) in [(IdentityHalf.certificate, certificates), (.key, keys)] {
                indices[half] = plan.terms.map { term in
                    if case .itemClass = term { return 0 }
                    if let index = all.firstIndex(of: term) { return index }
                    all.append(term)
                    return all.count - 1
                }
            }
        }
    }

    /// Explains the search of a query for identities.
    func explain(_ query: Query) throws(KeychainError) -> ExplainedSearch {
        let terms = Terms(certificates, keys)
        var found = ExplainedSearch(query, terms.all)
        let judged: [IdentityHalf: JudgedTerms] = [
            .certificate: JudgedTerms(certificates, transaction.tags), .key: JudgedTerms(keys, transaction.tags),
        ]
        let rows: [IdentityHalf: [NumberedRow]] = [
            .certificate: try self.rows(of: .certificate), .key: try self.rows(of: .key),
        ]
        var byteCount = 0
        let item = { (half: IdentityHalf, index: Int) throws(KeychainError) -> ExplainedItem in
            let row = (rows[half] ?? [])[index]
            byteCount += row.row.metadata.count
            return try self.item(from: row, as: half, terms: terms, judged: judged)
        }
        let halves = { (half: IdentityHalf) throws(KeychainError) -> [PairedHalves.Half] in
            try (rows[half] ?? []).map { (row) throws(KeychainError) in
                try self.evaluatedHalf(from: row, as: half, terms: terms, judged: judged)
            }
        }
        let pairs = PairedHalves(certificates: try halves(.certificate), keys: try halves(.key))
        found.population = [.identity: pairs.pairCount]
        for (half, rows) in rows where !rows.isEmpty { found.population[half.itemClass] = rows.count }
        var failures: [ExplainedSearch.Failures: Int] = [:]
        for (failed, count) in pairs.failures {
            let judgedByStore = failed.indices.filter { found.terms[$0].isJudgedByStore }
            failures[.init(itemClass: .identity, terms: judgedByStore), default: 0] += count
        }
        found.recordFailures(failures)
        let limit = search.options.boundedItemLimit
        let weights = found.terms.map { $0.weight(.certificate) }
        for pair in pairs.nearest(limit, { $0.indices.reduce(0) { $0 + weights[$1] } }) {
            guard byteCount < SearchExplainer.maximumBytes else { break }
            found.candidates.append(self.pair(try item(.certificate, pair.certificate), try item(.key, pair.key)))
        }
        let lone = pairs.lone
        for (half, index) in lone.prefix(limit) {
            guard byteCount < SearchExplainer.maximumBytes else { break }
            found.loneHalves.append(try item(half, index))
        }
        found.isBounded = pairs.pairCount > found.candidates.count || lone.count > found.loneHalves.count
        found.comparesEveryItem = true
        return found
    }

    /// How a row matches the terms, and its possible counterparts: it is opened for that, and closed again.
    private func evaluatedHalf(
        from row: NumberedRow,
        as half: IdentityHalf,
        terms: Terms,
        judged: [IdentityHalf: JudgedTerms]
    ) throws(KeychainError) -> PairedHalves.Half {
        let item = try item(from: row, as: half, terms: terms, judged: judged)
        return PairedHalves.Half(
            link: row.row.tags.first { $0.name == half.link }?.tag,
            linkOfOthers: item.attributes?[half.link].map { half.other.tag($0, transaction.tags).tag },
            failed: TermSet(item.failed),
            isPublicKey: half == .key && transaction.tags.isPublicKey(row.row)
        )
    }

    /// The rows in scope that can be half of an identity.
    private func rows(of half: IdentityHalf) throws(KeychainError) -> [NumberedRow] {
        var filter = search.scope(half.itemClass)
        if half == .key {
            filter.tags.append(transaction.tags.attributeTag(in: .key, name: .isPrivate, value: .number(.integer(1))))
        }
        return try transaction.rows.rows(filter)
    }

    /// A half, with its terms counted among those of both.
    private func item(
        from row: NumberedRow,
        as half: IdentityHalf,
        terms: Terms,
        judged: [IdentityHalf: JudgedTerms]
    ) throws(KeychainError) -> ExplainedItem {
        var item = try search.rows.item(row, judged[half])
        let indices = terms.indices[half] ?? []
        item.failed = item.failed.map { indices[$0] }
        item.passedOver = item.passedOver.map { indices[$0] }
        item.unknown = item.unknown.map { indices[$0] }
        return item
    }

    private func pair(_ certificate: ExplainedItem, _ key: ExplainedItem) -> ExplainedItem {
        var pair = key
        pair.itemClass = .identity
        pair.persistentReference =
            Array(ItemClass.identity.rawValue.utf8) + certificate.persistentReference.dropFirst(4)
        if let keys = key.attributes, let others = certificate.attributes {
            var attributes = keys.merging(others) { $1 }
            for name in [AttributeName.accessGroup, .synchronizable, .accessible, .accessControl] {
                attributes[name] = keys[name]
            }
            pair.attributes = attributes
        } else {
            pair.attributes = nil
        }
        if key.condition == .open { pair.condition = certificate.condition }
        if key.access == .granted { pair.access = certificate.access }
        pair.isInClientGroups = key.isInClientGroups && certificate.isInClientGroups
        pair.failed = Set(certificate.failed + key.failed).sorted()
        pair.passedOver = Set(certificate.passedOver + key.passedOver).sorted()
        pair.unknown = Set(certificate.unknown + key.unknown).subtracting(pair.failed).sorted()
        pair.halves = [certificate, key]
        return pair
    }
}
