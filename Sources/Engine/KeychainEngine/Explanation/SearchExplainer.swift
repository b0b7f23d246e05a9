// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Compares the items of every class with the terms of a search, and lists the nearest ones.
///
/// All rows in scope are compared with the terms in one pass over each table, which opens none; only listed rows are
/// opened, and those that may differ only in format.
struct SearchExplainer {
    let rows: ExplainedRows
    let options: ExplanationOptions
    /// The groups in scope; `nil` for all.
    let groups: [String]?

    private var transaction: ItemTransaction { rows.transaction }

    /// The maximum number of items to open in search of those that differ only in format.
    private static let fewItems = 1_000

    /// The sealed bytes that the listed items may have together.
    static let maximumBytes = 8 << 20

    /// Every live row of a class that is in scope.
    func scope(_ itemClass: ItemClass) -> RowFilter {
        var filter = RowFilter(itemClass)
        if let groups {
            filter.accessGroups = Set(
                groups.map { transaction.tags.attributeTag(in: itemClass, name: .accessGroup, value: .string($0)).tag }
            )
        }
        return filter
    }

    /// A row and its distance from the search.
    private struct Candidate {
        let itemClass: ItemClass
        let number: Int64
        var kind: Kind

        /// The common properties of rows with the same marks.
        struct Kind {
            /// The terms that it fails.
            let failed: [Int]
            /// The terms whose text is the same, as far as it could be guessed.
            var sameText: Set<Int>
            var distance: Int
            /// Whether an attribute is equal, or its text.
            var isNear: Bool
        }
    }

    /// Explains the search of a plan.
    func explain(_ plan: SearchPlan) throws(KeychainError) -> ExplainedSearch {
        let terms = JudgedTerms(plan, transaction.tags)
        var search = ExplainedSearch(plan.query, terms.terms)
        var failures: [ExplainedSearch.Failures: Int] = [:]
        var candidates: [Candidate] = []
        for itemClass in ItemClass.stored {
            let marks = TermMarks(terms, of: search.terms, itemClass: itemClass, tags: transaction.tags)
            let found = try transaction.rows.marks(marks.filters, within: scope(itemClass))
            if !found.isEmpty { search.population[itemClass] = found.count }
            var counts: [UInt64: Int] = [:]
            for row in found { counts[row.passed, default: 0] += 1 }
            var kinds: [UInt64: Candidate.Kind] = [:]
            for (mark, count) in counts {
                let (failed, sameText) = (marks.failed(mark), marks.sameText(mark))
                failures[.init(itemClass: itemClass, terms: failed), default: 0] += count
                kinds[mark] = Candidate.Kind(
                    failed: failed,
                    sameText: sameText,
                    distance: search.distance(of: failed, sameText: sameText, in: itemClass),
                    isNear: search.isNear(failed, sameText: sameText, in: itemClass)
                )
            }
            for row in found {
                guard let kind = kinds[row.passed] else { continue }
                candidates.append(Candidate(itemClass: itemClass, number: row.number, kind: kind))
            }
        }
        search.recordFailures(failures)
        try list(candidates, by: terms, into: &search)
        try addQuarantined(of: plan, by: terms, to: &search)
        return search
    }

    /// Lists the nearest candidates.
    private func list(
        _ candidates: [Candidate],
        by terms: JudgedTerms,
        into search: inout ExplainedSearch
    ) throws(KeychainError) {
        var near = candidates.filter(\.kind.isNear)
        let asksForAttributes = search.terms.contains(where: \.isAboutContents)
        search.comparesEveryItem =
            !asksForAttributes
            || (options.comparesEveryItem ?? (candidates.count <= Self.fewItems || near.isEmpty))
        if search.comparesEveryItem, asksForAttributes { near = try comparing(candidates, search) }
        // At equal distance, items of the requested class come first, then items that were added first.
        let ordered = near.enumerated().sorted { left, right in
            let (leftIsOther, rightIsOther) = (
                left.element.itemClass != search.itemClass, right.element.itemClass != search.itemClass
            )
            if left.element.kind.distance != right.element.kind.distance {
                return left.element.kind.distance < right.element.kind.distance
            }
            return leftIsOther == rightIsOther ? left.offset < right.offset : rightIsOther
        }
        var byteCount = 0
        for (_, candidate) in ordered {
            guard search.candidates.count < options.boundedItemLimit, byteCount < Self.maximumBytes else {
                search.isBounded = true
                break
            }
            guard let row = try row(candidate) else { continue }
            byteCount += row.row.metadata.count
            search.candidates.append(try rows.item(row, terms))
        }
    }

    /// The candidates that are near once their texts were compared.
    private func comparing(
        _ candidates: [Candidate],
        _ search: ExplainedSearch
    ) throws(KeychainError) -> [Candidate] {
        let comparison = OpenComparison(transaction, search.terms)
        var near: [Candidate] = []
        for candidate in candidates {
            var candidate = candidate
            if !candidate.kind.failed.isEmpty, let row = try row(candidate) {
                let (failed, itemClass) = (candidate.kind.failed, candidate.itemClass)
                let sameText = try comparison.sameText(row).union(candidate.kind.sameText)
                candidate.kind.sameText = sameText
                candidate.kind.distance = search.distance(of: failed, sameText: sameText, in: itemClass)
                candidate.kind.isNear = search.isNear(failed, sameText: sameText, in: itemClass)
            }
            if candidate.kind.isNear { near.append(candidate) }
        }
        return near
    }

    private func row(_ candidate: Candidate) throws(KeychainError) -> NumberedRow? {
        var filter = RowFilter(candidate.itemClass)
        filter.rowNumber = candidate.number
        return try transaction.rows.rows(filter, limit: 1).first
    }

    /// Lists matching rows in quarantine: a query that finds nothing else reports that they are damaged.
    private func addQuarantined(
        of plan: SearchPlan,
        by terms: JudgedTerms,
        to search: inout ExplainedSearch
    ) throws(KeychainError) {
        // A group that the client may not name was found to be a fault, and is a term of the plan nevertheless.
        guard case .rows(var filter) = plan.selection(transaction.tags) else { return }
        if let scope = scope(filter.itemClass).accessGroups {
            filter.accessGroups = filter.accessGroups?.intersection(scope) ?? scope
        }
        for row in try transaction.quarantinedRows(.rows(filter), limit: options.boundedItemLimit) {
            search.candidates.append(try rows.item(row, terms))
        }
    }
}

extension ExplanationOptions {
    var boundedItemLimit: Int { min(max(0, itemLimit), Self.largestItemLimit) }
}

/// The terms of a search as filters on one table, one bit each, with further filters for the format variants of its
/// attributes.
private struct TermMarks {
    private(set) var filters: [RowFilter] = []
    /// For each term, the bit for "met"; `nil` if no row of the class can meet it.
    private var bits: [Int: Int] = [:]
    /// For each term on an attribute, the bits that each mean "same text".
    private var variantBits: [Int: [Int]] = [:]
    /// The terms that rows of the class can fail.
    private var judged: [Int] = []

    init(_ judgedTerms: JudgedTerms, of terms: [ExplainedTerm], itemClass: ItemClass, tags: SearchTags) {
        for (index, test) in judgedTerms.tests(itemClass).enumerated() {
            switch test {
            case .store(let filter):
                judged.append(index)
                bits[index] = filters.count
                filters.append(filter)
            case .nothing: judged.append(index)
            case .passedOver, .contents: break
            }
        }
        for index in judged where terms[index].kind == .attribute {
            guard let name = AttributeName(terms[index].key), let value = terms[index].value,
                let column = ItemSchema.of(itemClass)[name]
            else { continue }
            let own = tags.tag(in: itemClass, column: column, value: value)
            for variant in value.formatVariants where filters.count < RowReader.maximumMarks {
                guard column.kind != .number || variant.isNumber else { continue }
                let tag = AttributeTag(name: name, tag: tags.tag(in: itemClass, column: column, value: variant))
                guard tag.tag != own else { continue }
                var filter = RowFilter(itemClass)
                filter.includesTombstones = true
                filter.tags = [tag]
                variantBits[index, default: []].append(filters.count)
                filters.append(filter)
            }
        }
    }

    func failed(_ mark: UInt64) -> [Int] {
        judged.filter { index in !(bits[index].map { Self.isSet($0, mark) } ?? false) }
    }

    /// The terms whose text is the same, as far as it could be guessed.
    func sameText(_ mark: UInt64) -> Set<Int> {
        Set(variantBits.filter { $0.value.contains { Self.isSet($0, mark) } }.map(\.key))
    }

    private static func isSet(_ bit: Int, _ mark: UInt64) -> Bool { mark & 1 << UInt64(bit) != 0 }
}

extension ExplainedSearch {
    /// The distance of an item from the search; a text that differs only in format is near.
    fileprivate func distance(of failed: [Int], sameText: Set<Int>, in itemClass: ItemClass) -> Int {
        failed.reduce(0) { $0 + (sameText.contains($1) ? 1 : terms[$1].weight(itemClass)) }
    }

    /// Whether an attribute equals the query's value, or has the same text; without attributes, whether the class
    /// matches.
    ///
    /// Only the open item can be compared with match keys, so that every item of the class may be near through them.
    fileprivate func isNear(_ failed: [Int], sameText: Set<Int>, in itemClass: ItemClass) -> Bool {
        let isOfClass = itemClass == self.itemClass
        if isOfClass, terms.contains(where: { $0.kind == .match }) { return true }
        var asksForAttributes = false
        for (index, term) in terms.enumerated() where term.isAboutContents {
            asksForAttributes = true
            guard term.kind != .attribute || AttributeName(term.key).flatMap({ ItemSchema.of(itemClass)[$0] }) != nil
            else {
                continue
            }
            if !failed.contains(index) || sameText.contains(index) { return true }
        }
        return !asksForAttributes && isOfClass
    }
}

extension AttributeValue {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
}

/// Compares the texts of open items with those of a search.
private struct OpenComparison {
    private let transaction: ItemTransaction
    private let terms: [(index: Int, name: AttributeName, value: AttributeValue)]

    init(_ transaction: ItemTransaction, _ terms: [ExplainedTerm]) {
        self.transaction = transaction
        self.terms = terms.enumerated().compactMap { index, term in
            guard term.kind == .attribute, let name = AttributeName(term.key), let value = term.value else {
                return nil
            }
            return (index, name, value)
        }
    }

    /// The terms whose text an item has; none if it cannot be opened now.
    func sameText(_ row: NumberedRow) throws(KeychainError) -> Set<Int> {
        guard let level = Accessibility(rawValue: row.row.protection), transaction.device.isAvailable(level),
            !transaction.device.isDestroyed(row.row),
            case .content(let metadata) = try transaction.sealer.openMetadata(row)
        else { return [] }
        var same: Set<Int> = []
        for (index, name, value) in terms {
            if let stored = metadata.attributes[name], stored.showsSameText(as: value) { same.insert(index) }
        }
        return same
    }
}
