// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemUpdate` (Semantics, "Updating items"; the order of checks is that of section 3.6).
extension Engine {
    func update(
        _ dictionary: PropertyDictionary,
        _ attributes: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) {
        let amendments = try amendments(dictionary, attributes, for: client, authorization)
        let damaged = try write { (writer) throws(KeychainError) in
            try apply(amendments, device.searchTags(), authorization, writer)
        }
        if let damaged { throw reportDamage([damaged]) }
    }

    /// An update of one class that was checked.
    struct Amendment {
        let query: Query
        let groups: AccessGroups
        let changes: UpdateAttributes
    }

    /// The updates that a call means: one, or of identities one of certificates and then one of keys.
    struct Amendments {
        let first: Amendment
        /// Checks the second; it is not looked at where the first finds nothing (Semantics, "Identities").
        var second: (() throws(KeychainError) -> Amendment)?
    }

    /// Checks an update, that of the second half of identities excepted.
    func amendments(
        _ dictionary: PropertyDictionary,
        _ attributes: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> Amendments {
        let (certificate, key): (PropertyDictionary, PropertyDictionary)
        if let identity = dictionary.identity {
            (certificate, key) = (
                dictionary.about(.certificate(identity.certificate)), dictionary.about(.key(identity.key))
            )
        } else {
            let whole = try amendment(dictionary, attributes, for: client, authorization)
            guard whole.query.itemClass == .identity else { return Amendments(first: whole) }
            guard whole.query.reference == nil else {
                throw KeychainError(.internal, "an identity cannot be updated through its persistent reference")
            }
            (certificate, key) = (dictionary.about(.certificate), dictionary.about(.key))
        }
        let first = try amendment(certificate, attributes, for: client, authorization)
        return Amendments(first: first) { () throws(KeychainError) in
            try self.amendment(key, attributes, for: client, authorization)
        }
    }

    private func amendment(
        _ dictionary: PropertyDictionary,
        _ attributes: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> Amendment {
        let (dictionary, attributes) = try ClientChecks.prepareUpdate(dictionary, attributes)
        try GuardedAttributes.check(dictionary, in: .updateQuery)
        try GuardedAttributes.check(attributes, in: .updateAttributes)
        let groups = try AccessGroups(client)
        try groups.checkWritable(dictionary[AttributeName.accessGroup.description])
        let query = try QueryParser.parse(dictionary)
        authorization.begin(query)
        try groups.checkAppClip(query.attributes[.accessGroup])
        try checkUpdate(query)
        try groups.checkWritable(attributes[AttributeName.accessGroup.description])
        // After the target group, unlike kSecReturn keys (Semantics, "Order of checks").
        try query.refuseMatchKeys(of: "SecItemUpdate")
        var changes = try UpdateAttributes(attributes, query.schema)
        changes.attributes.bindAccessControl(to: authorization.enrolledSet)
        try groups.checkAppClip(changes.attributes[.accessGroup])
        try groups.checkSynchronizable(changes.attributes[.synchronizable])
        return Amendment(query: query, groups: groups, changes: changes)
    }

    private func checkUpdate(_ query: Query) throws(KeychainError) {
        guard query.returns.isEmpty else { throw .parameter("kSecReturn keys have no meaning in SecItemUpdate") }
        guard !query.hasItemList else { throw .parameter("kSecUseItemList has no meaning in SecItemUpdate") }
        try query.checkLegacyReference()
    }

    /// Changes every matching row of each update, or none; with a certificate to keep, only rows that hold it.
    ///
    /// - Returns: A row that does not open. Nothing has changed then: it is found before the first change is made.
    func apply(
        _ amendments: Amendments,
        keeping certificate: SecretBytes? = nil,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ writer: RowWriter
    ) throws(KeychainError) -> DamagedRow? {
        var items: [(row: NumberedRow, item: Item, passwordKey: PasswordKey?, changes: UpdateAttributes)] = []
        var demand = AuthenticationDemand()
        var pending: [() throws(KeychainError) -> Amendment] = [{ amendments.first }]
        if let second = amendments.second { pending.append(second) }
        for next in pending {
            let amendment = try next()
            for row in try matches(amendment, tags, writer) {
                switch try openForUpdate(row, tags, authorization) {
                case .damaged(let damaged): return damaged
                case .content(.closed(let more)): demand.add(more)
                case .content(.open(let item, let key)):
                    if let certificate, item.secret != certificate {
                        throw KeychainError(.duplicateItem, "another certificate has the same issuer and serial number")
                    }
                    try amendment.changes.check(for: item.attributes)
                    items.append((row, item, key, amendment.changes))
                }
            }
            if try asksForNewPassword(amendment.changes, authorization) { demand.needsNewPassword = true }
        }
        if !demand.isEmpty { throw authorization.require(demand) }
        for (row, item, key, changes) in items {
            try replace(row, item, with: changes, authorization.keyForNewItems ?? key, tags, writer)
        }
        return nil
    }

    private func matches(
        _ amendment: Amendment,
        _ tags: SearchTags,
        _ reader: RowReader
    ) throws(KeychainError) -> [NumberedRow] {
        let generation = device.keybag.passcodeGeneration
        let filter = RowSearch(amendment.query, in: amendment.groups.writable, tags, passcodeGeneration: generation)
            .filter()
        let matches = try rows(filter, reader)
        if matches.isEmpty { throw try nothingFound(filter, reader) }
        return matches
    }

    /// Whether the update puts items under an application password that was not given yet.
    private func asksForNewPassword(
        _ changes: UpdateAttributes,
        _ authorization: Authorization
    ) throws(KeychainError) -> Bool {
        guard let accessControl = changes.attributes.accessControl, let constraints = accessControl.constraints else {
            return false
        }
        try checkAvailable(accessControl.protection)
        if let obstacle = authorization.obstacle(toStoring: accessControl, on: device) { throw obstacle }
        return constraints.requiresApplicationPassword && authorization.keyForNewItems == nil
    }

    /// An item that is to be changed.
    private enum Updatable {
        case open(Item, PasswordKey?)
        case closed(AuthenticationDemand)
    }

    /// Opens a row fully: an update seals everything anew.
    private func openForUpdate(
        _ row: NumberedRow,
        _ tags: SearchTags,
        _ authorization: Authorization
    ) throws(KeychainError) -> Opened<Updatable> {
        let metadata: OpenedMetadata
        switch try openMetadata(row) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let content): metadata = content
        }
        let passwordKey: PasswordKey?
        switch try passage(to: row, metadata, authorization) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(.never): throw Self.neverReadable
        case .content(.closed(let demand)): return .content(.closed(demand))
        case .content(.open(let key)): passwordKey = key
        }
        switch try openSecret(row, metadata, passwordKey) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(let secret):
            let item = Item(
                itemClass: row.row.itemClass,
                identifier: row.row.identifier,
                attributes: metadata.attributes,
                secret: secret
            )
            return .content(.open(item, passwordKey))
        }
    }

    private func replace(
        _ row: NumberedRow,
        _ item: Item,
        with changes: UpdateAttributes,
        _ passwordKey: PasswordKey?,
        _ tags: SearchTags,
        _ writer: RowWriter
    ) throws(KeychainError) {
        let schema = ItemSchema.of(item.itemClass)
        var updated = changed(item, by: changes)
        let keepsPrimaryKey = tags.primaryKeyTag(schema, updated.attributes) == row.row.primaryKeyTag
        let isSynchronizable = item.attributes[.synchronizable]?.isTrue ?? false
        if isSynchronizable, keepsPrimaryKey,
            schema.primaryKey.contains(where: { updated.attributes[$0.name] != item.attributes[$0.name] })
        {
            // What another device is told of compares with its types: the item would stand in its own way there.
            throw KeychainError(
                .duplicateItem,
                "the new primary key differs from the old one in the type of a value only"
            )
        }
        updated.attributes[.modificationDate] = modificationDate(after: item, keepsPrimaryKey: keepsPrimaryKey)
        var sealable = SealableItem(
            itemClass: item.itemClass,
            identifier: item.identifier,
            protection: AccessControlRules.protection(updated.attributes) ?? schema.defaultAccessibility,
            attributes: updated.attributes,
            secret: updated.secret
        )
        let needsPassword = updated.attributes.accessControl?.constraints?.requiresApplicationPassword ?? false
        try put(try seal(&sealable, tags, needsPassword ? passwordKey : nil), inPlaceOf: row, tags, writer)
        if !keepsPrimaryKey, isSynchronizable {
            let tombstone = try tombstone(of: item.attributes, item.itemClass, identifier: random.bytes16(), tags)
            // Another item of the same update may have moved onto the old primary key; then there is nothing to remember.
            _ = try writer.insert(tombstone)
        }
    }

    /// The item with its new values; accessibility and access control replace each other.
    private func changed(_ item: Item, by changes: UpdateAttributes) -> Item {
        var item = item
        item.attributes.merge(changes.attributes) { $1 }
        if let protection = AccessControlRules.protection(changes.attributes) {
            item.attributes[.accessible] = .string(protection.rawValue)
            let replaces = changes.attributes.accessControl?.constraints != nil
            item.attributes[.accessControl] = replaces ? changes.attributes[.accessControl] : nil
        }
        if let data = changes.data { item.secret = data }
        return item
    }

    /// Now; a millisecond after the old date when the clock did not move on and the item stays where it is.
    private func modificationDate(after item: Item, keepsPrimaryKey: Bool) -> AttributeValue {
        let now = clock.now
        guard keepsPrimaryKey, case .date(let old)? = item.attributes[.modificationDate], now <= old else {
            return .date(now)
        }
        return .date(Timestamp(secondsSinceReferenceDate: old.secondsSinceReferenceDate + 0.001))
    }

    /// Replaces a row; a tombstone or a damaged row that has its new primary key makes way.
    private func put(
        _ row: StoredRow,
        inPlaceOf old: NumberedRow,
        _ tags: SearchTags,
        _ writer: RowWriter
    ) throws(KeychainError) {
        if try writer.update(old.number, to: row) { return }
        if let existing = try clearWay(for: row.itemClass, row.primaryKeyTag, tags, writer), !existing.row.isTombstone {
            throw KeychainError(.duplicateItem, "an item with the new primary key exists")
        }
        try put(row, inPlaceOf: old, tags, writer)
    }
}
