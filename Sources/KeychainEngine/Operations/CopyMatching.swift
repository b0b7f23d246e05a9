// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemCopyMatching` (Semantics, "Copying matching items"; the order of checks is that of section 3.6).
extension Engine {
    func copyMatching(
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        if let identity = dictionary.identity {
            return try copyIdentity(identity, dictionary, for: client, authorization)
        }
        let copy = try copy(dictionary, for: client, authorization)
        if copy.query.itemClass == .identity {
            return try copyIdentities(IdentityQuery(copy.query), copy, authorization)
        }
        return try answer(copy, authorization) { (scan) throws(KeychainError) in try scan.rows() }
    }

    /// The answer from what a scan finds, or from why it finds nothing.
    func answer(
        _ copy: Copy,
        _ authorization: Authorization,
        _ find: (Scan) throws(KeychainError) -> Result<Findings, KeychainError>
    ) throws(KeychainError) -> KeychainAnswer {
        let findings = try read { (reader) throws(KeychainError) in
            try find(Scan(engine: self, copy: copy, tags: device.searchTags(), authorization, reader))
        }.get()
        if let obstacle = findings.obstacle(self, authorization) { throw obstacle }
        return ResultShape.copied(findings.items, copy.query)
    }

    /// A copy that was checked.
    struct Copy {
        var query: Query
        var groups: AccessGroups
    }

    /// Checks a copy, one of an identity's reference excepted.
    func copy(
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> Copy {
        let dictionary = try ClientChecks.prepare(dictionary, allowsSkip: true)
        try GuardedAttributes.check(dictionary, in: .copyOrDeleteQuery)
        let groups = try AccessGroups(client)
        let query = try QueryParser.parse(dictionary)
        authorization.begin(query)
        try groups.checkReadable(query.attributes[.accessGroup])
        try groups.checkAppClip(query.attributes[.accessGroup])
        guard !query.hasItemList else { throw .parameter("kSecUseItemList has no meaning in SecItemCopyMatching") }
        if case .item? = query.reference, query.hasFilters || query.scope.map({ $0 != .any }) ?? false {
            throw .parameter("a persistent reference cannot be combined with attributes")
        }
        try query.match.check(for: query.itemClass)
        guard query.match.limit.maximum != 0 else { throw KeychainError(.itemNotFound, "the limit is 0") }
        return Copy(query: query, groups: groups)
    }
}

/// A copy on one state of the store.
struct Scan {
    let engine: Engine
    let copy: Engine.Copy
    let tags: SearchTags
    let authorization: Authorization
    let reader: RowReader
    let conditions: CertificateConditions

    init(
        engine: Engine,
        copy: Engine.Copy,
        tags: SearchTags,
        _ authorization: Authorization,
        _ reader: RowReader
    ) {
        self.engine = engine
        self.copy = copy
        self.tags = tags
        self.authorization = authorization
        self.reader = reader
        conditions = CertificateConditions(
            filters: CertificateFilters(match: copy.query.match, now: engine.clock.now),
            issuers: IssuerChains(copy, engine, tags, reader)
        )
    }

    /// Looks at the rows of a table that match, in the order in which they were added, until there are enough.
    func rows() throws(KeychainError) -> Result<Findings, KeychainError> {
        let query = copy.query
        let search = search(query)
        var findings = Findings()
        if query.match.limit == .one, let row = try exactMatch(search) {
            findings.add(try reading(row, query))
        }
        guard findings.isEmpty else { return .success(findings) }
        let filter = search.filter()
        if let issuers = conditions.issuers, let filter, !filter.isSelective {
            try issuedRows(issuers, filter, &findings)
        } else {
            for row in try engine.rows(filter, limit: rowLimit, reader) where !findings.isComplete(for: query) {
                findings.add(try reading(row, query))
            }
        }
        return findings.isEmpty ? .failure(try engine.nothingFound(filter, reader)) : .success(findings)
    }

    /// The search for a query, or for half of one.
    func search(_ query: Query) -> RowSearch {
        RowSearch(query, in: copy.groups.readable, tags, passcodeGeneration: engine.device.keybag.passcodeGeneration)
    }

    /// Reads a row that matches by its tags.
    func reading(_ row: NumberedRow, _ query: Query) throws(KeychainError) -> Reading {
        try engine.reading(row, query, tags, authorization, conditions)
    }

    /// A row that has one of the primary keys that the query spells out: an index probe for each.
    private func exactMatch(_ search: RowSearch) throws(KeychainError) -> NumberedRow? {
        for filter in search.primaryKeyFilters() {
            if let row = try reader.rows(filter, limit: 1).first { return row }
        }
        return nil
    }

    /// How many rows may have to be looked at: with a condition that only the open item can answer, any number.
    private var rowLimit: Int? {
        let match = copy.query.match
        let passesOver =
            match.hostOrSubdomain != nil || match.decidesOnCertificates || copy.query.authenticationUI == .skip
        return passesOver ? nil : match.limit.maximum
    }

    /// Looks at certificates by the names that lead to the given issuers, where nothing else tells which ones.
    private func issuedRows(
        _ issuers: IssuerChains,
        _ filter: RowFilter,
        _ findings: inout Findings
    ) throws(KeychainError) {
        try issuers.forEachIssuer { (name) throws(KeychainError) in
            let filter = issued(by: name, filter)
            for row in try reader.rows(filter) where !findings.isComplete(for: copy.query) {
                findings.add(try reading(row, copy.query))
            }
            return !findings.isComplete(for: copy.query)
        }
    }

    /// A filter of certificates, narrowed to those of one issuer.
    func issued(by name: [UInt8], _ filter: RowFilter) -> RowFilter {
        var filter = filter
        filter.tags.append(tags.attributeTag(.certificate, .issuer, .data(name)))
        return filter
    }
}

extension RowFilter {
    /// Whether an index, or the row's own identifier, tells which few rows can match.
    var isSelective: Bool {
        if identifier != nil || primaryKey != nil { return true }
        let indexed = ItemSchema.of(itemClass).indexes.compactMap(\.first)
        return tags.contains { indexed.contains($0.name) }
    }
}
