// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemCopyMatching` (specification, section 5.2; the order of checks is that of section 3.6).
extension Engine {
    func copyMatching(
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let dictionary = try ClientChecks.prepare(dictionary, allowsSkip: true)
        try GuardedAttributes.check(dictionary, in: .copyOrDeleteQuery)
        let groups = try AccessGroups(client)
        let query = try QueryParser.parse(dictionary)
        authorization.begin(query)
        try groups.checkReadable(query.attributes[.accessGroup])
        try groups.checkAppClip(query.attributes[.accessGroup])
        try checkCopy(query)
        guard query.match.limit.maximum != 0 else { throw KeychainError(.itemNotFound, "the limit is 0") }
        if query.itemClass == .identity { throw try identitiesFound(query, groups) }

        let outcome = try read { (reader) throws(KeychainError) in
            let tags = device.searchTags()
            let search = RowSearch(query, groups, tags, passcodeGeneration: device.keybag.passcodeGeneration)
            return try scan(search, query, tags, authorization, reader)
        }
        if !outcome.damaged.isEmpty { throw reportDamage(outcome.damaged) }
        if outcome.hasUnreadable { throw Self.neverReadable }
        if let demand = outcome.demand { throw authorization.require(demand) }
        guard !outcome.items.isEmpty else { throw outcome.absence ?? KeychainError(.itemNotFound, "no item matches") }
        return ResultShape.copied(outcome.items, query)
    }

    /// What a scan has found so far.
    private struct Outcome {
        var items: [Item] = []
        var damaged: [DamagedRow] = []
        var demand: AuthenticationDemand?
        var demandedItems = 0
        var hasUnreadable = false
        var absence: KeychainError?

        var isEmpty: Bool { items.isEmpty && damaged.isEmpty && demand == nil && !hasUnreadable }

        func isComplete(for query: Query) -> Bool {
            query.match.limit.maximum.map { items.count + demandedItems >= $0 } ?? false
        }

        mutating func add(_ more: AuthenticationDemand) {
            demandedItems += 1
            if demand == nil { demand = more } else { demand?.add(more) }
        }
    }

    private func checkCopy(_ query: Query) throws(KeychainError) {
        guard !query.hasItemList else { throw .parameter("kSecUseItemList has no meaning in SecItemCopyMatching") }
        if query.reference != nil, !query.attributes.isEmpty || query.scope.map({ $0 != .any }) ?? false {
            throw .parameter("a persistent reference cannot be combined with attributes")
        }
        try query.match.check(for: query.itemClass)
        try query.checkReferenceSupport()
    }

    /// Looks at matching rows in the order in which they were added, until there are enough.
    private func scan(
        _ search: RowSearch,
        _ query: Query,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ reader: RowReader
    ) throws(KeychainError) -> Outcome {
        var outcome = Outcome()
        if query.match.limit == .one, let row = try exactMatch(search, reader) {
            try examine(row, query, tags, authorization, &outcome)
        }
        guard outcome.isEmpty else { return outcome }
        let filter = search.filter()
        for row in try rows(filter, limit: rowLimit(query), reader) where !outcome.isComplete(for: query) {
            try examine(row, query, tags, authorization, &outcome)
        }
        if outcome.isEmpty { outcome.absence = try nothingFound(filter, reader) }
        return outcome
    }

    /// A row that has one of the primary keys that the query spells out: an index probe for each.
    private func exactMatch(_ search: RowSearch, _ reader: RowReader) throws(KeychainError) -> NumberedRow? {
        for filter in search.primaryKeyFilters() {
            if let row = try reader.rows(filter, limit: 1).first { return row }
        }
        return nil
    }

    /// How many rows may have to be looked at: with a condition that only the open item can answer, any number.
    private func rowLimit(_ query: Query) -> Int? {
        let passesOver = query.match.hostOrSubdomain != nil || query.authenticationUI == .skip
        return passesOver ? nil : query.match.limit.maximum
    }

    private func examine(
        _ row: NumberedRow,
        _ query: Query,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ outcome: inout Outcome
    ) throws(KeychainError) {
        if query.itemClass == .certificate, query.match.needsCertificate {
            throw KeychainError(.unimplemented, "conditions on a certificate's contents are not implemented yet")
        }
        let metadata: OpenedMetadata
        switch try openMetadata(row, tags) {
        case .damaged(let damaged): return outcome.damaged.append(damaged)
        case .content(let content): metadata = content
        }
        guard isOnHost(query.match.hostOrSubdomain, metadata.attributes) else { return }
        let isSkipped = query.authenticationUI == .skip && asksSomebody(metadata)
        if isSkipped { return }
        let passwordKey: PasswordKey?
        switch try passage(to: row, metadata, authorization) {
        case .damaged(let damaged): return outcome.damaged.append(damaged)
        case .content(.closed(let demand)): return outcome.add(demand)
        case .content(.never):
            outcome.hasUnreadable = true
            return
        case .content(.open(let key)): passwordKey = key
        }
        var item = Item(
            itemClass: query.itemClass,
            identifier: row.row.identifier,
            attributes: metadata.attributes
        )
        if query.returns.contains(.data) {
            switch try openSecret(row, metadata, passwordKey) {
            case .damaged(let damaged): return outcome.damaged.append(damaged)
            case .content(let secret): item.secret = secret
            }
        }
        outcome.items.append(item)
    }

    /// Whether `kSecUseAuthenticationUISkip` leaves an item out, also when what it asks for was shown before.
    private func asksSomebody(_ metadata: OpenedMetadata) -> Bool {
        metadata.attributes.accessControl?.requiresAuthentication ?? false
    }

    /// Whether the server is the host or lies below it; byte by byte, and only for a server that is a string.
    private func isOnHost(_ host: String?, _ attributes: Attributes) -> Bool {
        guard let host else { return true }
        guard case .string(let server)? = attributes[.server] else { return false }
        let (name, suffix) = (Array(server.utf8), Array(host.utf8))
        return name == suffix || name.suffix(suffix.count + 1) == ([UInt8(ascii: ".")] + suffix)[...]
    }
}
