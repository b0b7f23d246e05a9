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

    /// The terms of both halves, each once, and where those of each half are among them.
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

    private struct Pair: Hashable {
        let certificate: Int64
        let key: Int64
    }

    /// Explains the search for what a query of identities means.
    func explain(_ query: Query) throws(KeychainError) -> ExplainedSearch {
        let terms = Terms(certificates, keys)
        var found = ExplainedSearch(query, terms.all)
        let rows: [IdentityHalf: [NumberedRow]] = [
            .certificate: try self.rows(of: .certificate), .key: try self.rows(of: .key),
        ]
        let judged: [IdentityHalf: JudgedTerms] = [
            .certificate: JudgedTerms(certificates, transaction.tags), .key: JudgedTerms(keys, transaction.tags),
        ]
        let (pairs, lone) = try pairs(rows)
        found.population = [.identity: pairs.count]
        for (half, rows) in rows where !rows.isEmpty { found.population[half.itemClass] = rows.count }
        var items: [(item: ExplainedItem, distance: Int)] = []
        var failures: [ExplainedSearch.Failures: Int] = [:]
        for (certificate, key) in pairs {
            let item = try pair(
                item(certificate, .certificate, terms, judged),
                item(key, .key, terms, judged)
            )
            let failed = item.failed.filter { found.terms[$0].isJudgedByStore }
            failures[.init(itemClass: .identity, terms: failed), default: 0] += 1
            let distance = item.failed.reduce(0) { $0 + found.terms[$1].weight(.certificate) }
            items.append((item, distance))
        }
        found.note(failures)
        let ordered = items.enumerated().sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
        let limit = search.options.boundedItemLimit
        found.candidates = ordered.prefix(limit).map(\.element.item)
        found.isBounded = ordered.count > limit || lone.count > limit
        found.comparesEveryItem = true
        for (half, row) in lone.prefix(limit) {
            found.loneHalves.append(try item(row, half, terms, judged))
        }
        return found
    }

    /// The rows in scope that can be half of an identity.
    private func rows(of half: IdentityHalf) throws(KeychainError) -> [NumberedRow] {
        var filter = search.scope(half.itemClass)
        if half == .key {
            filter.tags.append(transaction.tags.attributeTag(.key, .isPrivate, .number(.integer(1))))
        }
        return try transaction.rows.rows(filter)
    }

    /// Every pair, those with a public key that is stored as a private one last; and the halves that are in none.
    ///
    /// A half that cannot be opened is found by the other one.
    private func pairs(
        _ rows: [IdentityHalf: [NumberedRow]]
    ) throws(KeychainError) -> ([(NumberedRow, NumberedRow)], [(IdentityHalf, NumberedRow)]) {
        var byLink: [IdentityHalf: [SearchTag: [NumberedRow]]] = [:]
        for (half, rows) in rows {
            for row in rows {
                guard let link = row.row.tags.first(where: { $0.name == half.link }) else { continue }
                byLink[half, default: [:]][link.tag, default: []].append(row)
            }
        }
        var seen: Set<Pair> = []
        var pairs: [(NumberedRow, NumberedRow)] = []
        var paired: [IdentityHalf: Set<Int64>] = [:]
        for half in [IdentityHalf.certificate, .key] {
            for row in rows[half] ?? [] {
                guard let hash = try hash(row, half) else { continue }
                for mate in byLink[half.other]?[half.other.tag(hash, transaction.tags).tag] ?? [] {
                    let (certificate, key) = half == .certificate ? (row, mate) : (mate, row)
                    guard seen.insert(Pair(certificate: certificate.number, key: key.number)).inserted else { continue }
                    pairs.append((certificate, key))
                    paired[.certificate, default: []].insert(certificate.number)
                    paired[.key, default: []].insert(key.number)
                }
            }
        }
        let isPublic = { (pair: (NumberedRow, NumberedRow)) in transaction.tags.isPublicKey(pair.1.row) }
        var lone: [(IdentityHalf, NumberedRow)] = []
        for half in [IdentityHalf.certificate, .key] {
            for row in rows[half] ?? [] where !(paired[half]?.contains(row.number) ?? false) {
                lone.append((half, row))
            }
        }
        return (pairs.filter { !isPublic($0) } + pairs.filter(isPublic), lone)
    }

    private func hash(_ row: NumberedRow, _ half: IdentityHalf) throws(KeychainError) -> AttributeValue? {
        guard let level = Accessibility(rawValue: row.row.protection), transaction.device.isAvailable(level),
            !transaction.device.isDestroyed(row.row),
            case .content(let metadata) = try transaction.sealer.openMetadata(row)
        else { return nil }
        return metadata.attributes[half.link]
    }

    /// A half, with its terms counted among those of both.
    private func item(
        _ row: NumberedRow,
        _ half: IdentityHalf,
        _ terms: Terms,
        _ judged: [IdentityHalf: JudgedTerms]
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
