// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemCopyMatching` (Semantics, "Copying matching items").
extension Engine {
    func copyMatching(_ request: ItemRequest, _ authorization: Authorization) throws(KeychainError) -> KeychainAnswer {
        if let identity = request.dictionary.identity {
            return try copyIdentity(identity, for: request, under: authorization)
        }
        let request = try authorization.checked(request)
        return try copy(request, under: authorization) { (transaction) throws(KeychainError) in
            let search = ItemSearch(transaction, request.query)
            return request.query.itemClass == .identity ? try search.identities() : try search.items()
        }
    }

    /// The answer from what a search finds, or from why it finds nothing.
    func copy(
        _ request: CheckedRequest,
        under authorization: Authorization,
        _ search: (ItemTransaction) throws(KeychainError) -> Result<Findings, KeychainError>
    ) throws(KeychainError) -> KeychainAnswer {
        let findings = try readItems(for: request, authorization, search).get()
        // Damage is reported in a transaction that may write.
        if !findings.damaged.isEmpty { throw reportDamage(findings.damaged, authorization) }
        if let obstacle = findings.obstacle(authorization) { throw obstacle }
        return ResultShape.copied(findings.items, request.query)
    }
}

/// The search of a copy on one state of the store.
struct ItemSearch {
    let transaction: ItemTransaction
    let query: Query
    /// The conditions of the query on certificates; `nil` for none.
    let certificates: CertificateConditions?

    init(_ transaction: ItemTransaction, _ query: Query) {
        self.transaction = transaction
        self.query = query
        certificates = CertificateConditions(query, transaction)
    }

    /// Nothing found yet; the result of a rehearsal is not used.
    var noFindings: Findings { Findings(keepsItems: transaction.authorization.rehearsedRows == nil) }

    /// Examines the rows of a table that match, in the order in which they were added, until there are enough.
    func items() throws(KeychainError) -> Result<Findings, KeychainError> {
        let plan = transaction.plan(query)
        var findings = noFindings
        if query.match.limit == .one, let row = try exactMatch(plan) { findings.add(try read(row, for: query)) }
        guard findings.isEmpty else { return .success(findings) }
        let selection = plan.selection(transaction.tags)
        for row in try transaction.rows(selection, limit: rowLimit) where !findings.isComplete(for: query) {
            findings.add(try read(row, for: query))
        }
        guard findings.isEmpty else { return .success(findings) }
        if let closed = findings.closed { return .failure(closed) }
        return .failure(try transaction.nothingFound(selection))
    }

    /// A row that has one of the primary keys that the query spells out: an index probe for each.
    private func exactMatch(_ plan: SearchPlan) throws(KeychainError) -> NumberedRow? {
        for filter in plan.primaryKeyFilters(transaction.tags) {
            if let row = try transaction.rows.rows(filter, limit: 1).first { return row }
        }
        return nil
    }

    /// How many rows may have to be looked at: with a condition that only the open item can answer, any number.
    private var rowLimit: Int? {
        let mayPassOver =
            query.namesDigest || query.match.hostOrSubdomain != nil || query.match.decidesOnCertificates
            || query.authenticationUI == .skip
        return mayPassOver ? nil : query.match.limit.maximum
    }

    /// Reads a row that matches by its tags, as far as a query, or its half, requires it.
    ///
    /// An obstacle to reading it takes precedence over any condition on its contents, except for the digest, which is a
    /// term of the search: a locked or protected item is never treated as missing.
    func read(_ row: NumberedRow, for query: Query) throws(KeychainError) -> ReadOutcome {
        let sealer = transaction.sealer
        let opened: Opened<OpenedMetadata>
        do throws(KeychainError) {
            opened = try sealer.openMetadata(row)
        } catch {
            guard query.namesDigest else { throw error }
            return .closed(error)
        }
        let metadata: OpenedMetadata
        switch opened {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let content): metadata = content
        }
        guard query.hasDigest(of: metadata.attributes) else { return .leftOut }
        let passwordKey: PasswordKey?
        switch try transaction.readAccess(to: row, metadata) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(.granted(let key)): passwordKey = key
        case .content(.demands(let demand)):
            let isLeftOut = query.authenticationUI == .skip && !transaction.authorization.canSatisfyUnasked(demand)
            return isLeftOut ? .leftOut : .demands(demand)
        case .content(.denied): return query.authenticationUI == .skip ? .leftOut : .denied
        }
        guard query.match.isOnHost(metadata.attributes) else { return .leftOut }
        let certificates = row.row.itemClass == .certificate ? certificates : nil
        if let certificates, try !certificates.acceptIssuer(of: metadata.attributes) { return .leftOut }
        var item = Item(
            itemClass: row.row.itemClass,
            identifier: row.row.identifier,
            attributes: metadata.attributes
        )
        if query.readsSecret {
            switch try sealer.openSecret(of: row, metadata: metadata, passwordKey: passwordKey) {
            case .damaged(let damaged): return .damaged(damaged)
            case .content(let secret): item.secret = secret
            }
        }
        if let certificates, try !certificates.acceptContents(item.secret) { return .leftOut }
        return .found(.stored(item))
    }
}

extension RowFilter {
    /// Whether an index, or the row's own identifier, limits the possible rows to a few.
    var isSelective: Bool {
        if identifier != nil || primaryKey != nil { return true }
        let indexed = ItemSchema.of(itemClass).indexes.compactMap(\.first)
        return tags.contains { indexed.contains($0.name) }
    }
}

extension MatchConditions {
    /// Whether the server is the host or one of its subdomains, by bytes, and only for a server that is a string.
    func isOnHost(_ attributes: Attributes) -> Bool {
        guard let host = hostOrSubdomain else { return true }
        guard case .string(let server)? = attributes[.server] else { return false }
        let (name, suffix) = (Array(server.utf8), Array(host.utf8))
        return name == suffix || name.suffix(suffix.count + 1) == ([UInt8(ascii: ".")] + suffix)[...]
    }
}

/// The conditions of a query on certificates beyond their attributes.
struct CertificateConditions {
    let filters: CertificateFilters
    /// The names that a chain has to contain one of; `nil` for any.
    let issuers: IssuerChains?

    /// The conditions of a query; `nil` when it has none.
    init?(_ query: Query, _ transaction: ItemTransaction) {
        guard query.match.decidesOnCertificates else { return nil }
        filters = CertificateFilters(
            match: query.match,
            now: transaction.clock.now,
            judge: transaction.certificateJudge
        )
        issuers = IssuerChains(query, transaction)
    }

    /// Whether a chain of issuers leads from a certificate to one of the names.
    func acceptIssuer(of attributes: Attributes) throws(KeychainError) -> Bool {
        guard let issuers else { return true }
        return try issuers.lead(from: attributes)
    }

    /// Whether the contents of a certificate, as far as they were read, meet the conditions.
    ///
    /// - Throws: `errSecNotAvailable` if a chain has to be evaluated and cannot be.
    func acceptContents(_ data: SecretBytes?) throws(KeychainError) -> Bool { try filters.accept(data) }
}
