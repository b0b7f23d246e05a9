// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Makes snapshots of rows, for an explanation: attributes as far as they open now, and never a secret.
struct ExplainedRows {
    let transaction: ItemTransaction
    let rehearsal: Rehearsal
    /// The groups by whose names a closed row can be placed: those of the client's list and of the query.
    let knownGroups: [String]

    /// A snapshot of a row, with the search terms that it meets.
    func item(_ row: NumberedRow, _ terms: JudgedTerms? = nil) throws(KeychainError) -> ExplainedItem {
        let stored = row.row
        var item = ExplainedItem(
            itemClass: stored.itemClass,
            persistentReference: stored.identifier.persistentReference(of: stored.itemClass).unprotectedCopy,
            level: stored.protection,
            condition: .locked,
            isInClientGroups: false
        )
        let metadata = try open(row, &item)
        if let metadata {
            var attributes = metadata.attributes
            attributes[.history] = nil
            item.attributes = attributes
            item.hasData = metadata.hasSecret
            item.group = metadata.attributes.accessGroupName
            item.isSynchronizable = metadata.attributes[.synchronizable]?.isTrue ?? false
        } else {
            item.group = knownGroups.first { has(stored, attribute: .accessGroup, equalTo: .string($0)) }
            item.isSynchronizable = [false, true].first {
                has(stored, attribute: .synchronizable, equalTo: .number(.integer($0 ? 1 : 0)))
            }
        }
        item.isInClientGroups = item.group.map { transaction.groups.isListed($0) } ?? false
        try terms?.judge(row, metadata: metadata, in: transaction, into: &item)
        return item
    }

    /// Opens the attributes, and notes whether they did, and what guards the secret.
    private func open(_ row: NumberedRow, _ item: inout ExplainedItem) throws(KeychainError) -> OpenedMetadata? {
        if let damage = row.damage {
            item.condition = .quarantined(name(of: RowDamage(rawValue: damage)))
            return nil
        }
        if transaction.device.isDestroyed(row.row) {
            item.condition = .destroyed
            return nil
        }
        switch try transaction.sealer.isLocked(row) {
        case .damaged(let damaged):
            item.condition = .damaged(name(of: damaged.damage))
            return nil
        case .content(let isLocked): if isLocked { return nil }
        }
        let metadata: OpenedMetadata
        switch try transaction.sealer.openMetadata(row) {
        case .damaged(let damaged):
            item.condition = .damaged(name(of: damaged.damage))
            return nil
        case .content(let content): metadata = content
        }
        item.condition = .open
        switch try transaction.readAccess(to: row, metadata) {
        case .damaged(let damaged): item.condition = .damaged(name(of: damaged.damage))
        case .content(.granted): item.access = .granted
        case .content(.denied): item.access = .denied
        case .content(.demands(let demand)): item.access = rehearsal.access(demand)
        }
        return metadata
    }

    private func name(of damage: RowDamage?) -> String { damage.map { "\($0)" } ?? "unknown" }

    private func has(_ row: StoredRow, attribute name: AttributeName, equalTo value: AttributeValue) -> Bool {
        row.tags.contains(transaction.tags.attributeTag(in: row.itemClass, name: name, value: value))
    }
}

/// The terms of a search as conditions on one row of any class.
struct JudgedTerms {
    let query: Query
    let terms: [SearchTerm]
    private let tests: [ItemClass: [Test]]

    /// The meaning of a term for the rows of a class.
    enum Test {
        /// The row has to be one that the store selects.
        case store(RowFilter)
        /// No row meets it.
        case nothing
        /// The class does not have the attribute.
        case passedOver
        /// Only the open item can answer.
        case contents(MatchConditions.Condition)
    }

    init(_ plan: SearchPlan, _ tags: SearchTags) {
        self.init(of: plan.query, terms: plan.terms, tags: tags)
    }

    /// Terms of a query, or those that concern one half of an identity.
    init(of query: Query, terms: [SearchTerm], tags: SearchTags) {
        self.query = query
        self.terms = terms
        var tests: [ItemClass: [Test]] = [:]
        for itemClass in ItemClass.stored {
            tests[itemClass] = terms.map { Self.test(for: $0, of: itemClass, tags: tags) }
        }
        self.tests = tests
    }

    /// The meaning of each term for the rows of a class.
    func tests(_ itemClass: ItemClass) -> [Test] { tests[itemClass] ?? [] }

    /// Judges a row by its tags and clear columns, and what they cannot answer by the open item.
    func judge(
        _ row: NumberedRow,
        metadata: OpenedMetadata?,
        in transaction: ItemTransaction,
        into item: inout ExplainedItem
    ) throws(KeychainError) {
        for (index, test) in tests(row.row.itemClass).enumerated() {
            switch test {
            case .store(let filter):
                if !filter.matches(row.row, number: row.number) { item.failed.append(index) }
            case .nothing: item.failed.append(index)
            case .passedOver: item.passedOver.append(index)
            case .contents(let condition):
                guard let metadata else {
                    item.unknown.append(index)
                    continue
                }
                if try !transaction.satisfies(condition, row: row, metadata: metadata, given: query) {
                    item.failed.append(index)
                }
            }
        }
    }

    private static func test(for term: SearchTerm, of itemClass: ItemClass, tags: SearchTags) -> Test {
        switch term {
        case .contents(let condition): return condition.hasMeaning(for: itemClass) ? .contents(condition) : .passedOver
        case .attribute(let name, _):
            guard ItemSchema.of(itemClass)[name]?.isSearchable ?? false else { return .passedOver }
        case .ignored(let name):
            guard ItemSchema.of(itemClass)[name] != nil else { return .passedOver }
        case .itemClass, .identifier, .accessGroups, .protection, .notDestroyed, .nothing: break
        }
        var every = RowFilter(itemClass)
        every.includesTombstones = true
        var selection = RowSelection.rows(every)
        selection.narrow(by: term, tags)
        return selection.filter.map { .store($0) } ?? .nothing
    }
}

extension MatchConditions.Condition {
    /// Whether the class has what the condition is about.
    fileprivate func hasMeaning(for itemClass: ItemClass) -> Bool {
        switch self {
        case .digest: true
        case .hostOrSubdomain: itemClass == .internetPassword
        case .emailAddress, .issuers, .policy, .trustedOnly, .validOn: itemClass == .certificate
        }
    }
}

extension ItemTransaction {
    /// Whether an open item meets one condition, as evaluated by a copy.
    fileprivate func satisfies(
        _ condition: MatchConditions.Condition,
        row: NumberedRow,
        metadata: OpenedMetadata,
        given: Query
    ) throws(KeychainError) -> Bool {
        if case .digest = condition { return given.hasDigest(of: metadata.attributes) }
        var query = given
        query.match = MatchConditions(condition)
        guard query.match.isOnHost(metadata.attributes) else { return false }
        guard let conditions = CertificateConditions(query, self) else { return true }
        guard try conditions.acceptIssuer(of: metadata.attributes) else { return false }
        // Contents that nothing in the query has read meet no condition.
        guard given.readsSecret else { return try conditions.acceptContents(nil) }
        guard case .content(let contents) = try sealer.openSecret(of: row, metadata: metadata, passwordKey: nil) else {
            return false
        }
        return try conditions.acceptContents(contents)
    }
}
