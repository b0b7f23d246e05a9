// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemUpdate` (Semantics, "Updating items").
extension Engine {
    func update(_ request: ItemRequest, _ authorization: Authorization) throws(KeychainError) {
        let update = try checkedUpdate(request, authorization)
        let damaged = try changeItems(for: update.first, authorization) { (transaction) throws(KeychainError) in
            try transaction.apply(update)
        }
        if let damaged { throw reportDamage([damaged], authorization) }
    }

    /// Checks an update, that of the second half of identities excepted.
    func checkedUpdate(
        _ request: ItemRequest,
        _ authorization: Authorization
    ) throws(KeychainError) -> CheckedUpdate {
        let (certificate, key): (ItemRequest, ItemRequest)
        if let identity = request.dictionary.identity {
            (certificate, key) = (
                request.narrowed(to: .certificate(identity.certificate)), request.narrowed(to: .key(identity.key))
            )
        } else {
            let checked = try authorization.checked(request)
            guard checked.query.itemClass == .identity, checked.query.reference == nil else {
                return CheckedUpdate(first: checked)
            }
            (certificate, key) = (request.narrowed(to: .certificate), request.narrowed(to: .key))
        }
        return CheckedUpdate(first: try authorization.checked(certificate), second: key)
    }
}

/// What an update changes.
///
/// It changes items of one class, or the certificates and then the keys of identities; by the persistent reference of
/// an identity, nothing.
struct CheckedUpdate {
    let first: CheckedRequest
    /// Checked later: it is not searched if the first finds nothing (Semantics, "Identities").
    var second: ItemRequest?
}

extension ItemWriteTransaction {
    /// Changes every matching row, or none; with a certificate to keep, only rows that hold it.
    ///
    /// - Returns: A row that does not open. Nothing has changed in that case: it is found before the first change.
    func apply(_ update: CheckedUpdate, keeping certificate: SecretBytes? = nil) throws(KeychainError) -> DamagedRow? {
        if update.first.query.itemClass == .identity { throw try refusal(ofIdentity: update.first.query) }
        var changes = PendingChanges()
        if let damaged = try collect(update.first, keeping: certificate, &changes) { return damaged }
        if let second = update.second,
            let damaged = try collect(authorization.checked(second), keeping: certificate, &changes)
        {
            return damaged
        }
        if !changes.demand.isEmpty { throw authorization.require(changes.demand) }
        for change in changes.items { try replace(change) }
        return nil
    }

    /// Why an identity is not updated by its persistent reference: there is none, or it cannot be.
    private func refusal(ofIdentity query: Query) throws(KeychainError) -> KeychainError {
        switch try ItemSearch(self, query).identities() {
        case .failure(let absence): absence
        case .success: KeychainError(.internal, "an identity cannot be updated through its persistent reference")
        }
    }

    /// The pending changes of an update, and what has to be shown before.
    struct PendingChanges {
        var items: [PendingChange] = []
        var demand = AuthenticationDemand()
    }

    /// A row that an update replaces.
    struct PendingChange {
        let row: NumberedRow
        let item: Item
        let passwordKey: PasswordKey?
        let changes: UpdateAttributes
    }

    /// Opens every row that matches.
    ///
    /// - Returns: One that does not open.
    func collect(
        _ request: CheckedRequest,
        keeping certificate: SecretBytes? = nil,
        _ pending: inout PendingChanges
    ) throws(KeychainError) -> DamagedRow? {
        var changes = request.changes
        changes.attributes.bindAccessControl(to: authorization.enrolledSet)
        let selection = plan(request.query, of: .update).selection(tags)
        let matches = try havingDigest(rows(selection), of: request.query)
        if matches.isEmpty { throw try nothingFound(selection) }
        for row in matches {
            let metadata: OpenedMetadata
            switch try sealer.openMetadata(row) {
            case .damaged(let damaged): return damaged
            case .content(let content): metadata = content
            }
            switch try openWhole(row, metadata) {
            case .damaged(let damaged): return damaged
            case .content(.denied): throw .neverReadable
            case .content(.demands(let demand)): pending.demand.add(demand)
            case .content(.open(let item, let key)):
                if let certificate, item.secret != certificate {
                    throw KeychainError(.duplicateItem, "another certificate has the same issuer and serial number")
                }
                try changes.check(for: item.attributes)
                pending.items.append(PendingChange(row: row, item: item, passwordKey: key, changes: changes))
            }
        }
        if try needsNewPassword(changes) { pending.demand.needsNewPassword = true }
        return nil
    }

    /// Whether the update puts items under an application password that is not known yet.
    private func needsNewPassword(_ changes: UpdateAttributes) throws(KeychainError) -> Bool {
        guard let accessControl = changes.attributes.accessControl, let constraints = accessControl.constraints else {
            return false
        }
        try device.checkAvailable(accessControl.protection)
        if let refusal = authorization.refusal(toStoreUnder: accessControl) { throw refusal }
        if let obstacle = authorization.obstacle(toStoring: accessControl, on: device) { throw obstacle }
        return constraints.requiresApplicationPassword && authorization.keyForNewItems == nil
    }

    /// Writes one item with its changes.
    func replace(_ change: PendingChange) throws(KeychainError) {
        let item = change.item
        let schema = ItemSchema.of(item.itemClass)
        var updated = item
        updated.apply(change.changes)
        if change.changes.attributes[.lookup] == nil { updated.attributes.updateLookup(of: item) }
        if let secretForm, LookupMapping.has(item.itemClass) {
            updated.secret = try secretForm.form(ofChanged: updated)
        }
        let keepsPrimaryKey =
            !schema.primaryKey.contains { change.changes.attributes[$0.name] != nil }
            || tags.primaryKeyTag(schema, updated.attributes) == change.row.row.primaryKeyTag
        let isSynchronizable = item.attributes[.synchronizable]?.isSynchronized ?? false
        if isSynchronizable, keepsPrimaryKey,
            schema.primaryKey.contains(where: { updated.attributes[$0.name] != item.attributes[$0.name] })
        {
            // Messages to other devices compare values with their types: the item would conflict with itself there.
            throw KeychainError(
                .duplicateItem,
                "the new primary key differs from the old one in the type of a value only"
            )
        }
        // An item that moves is another one; it has to be newer than the tombstone that it may come upon.
        let old = keepsPrimaryKey ? item.attributes.modificationDate : nil
        updated.attributes[.modificationDate] = .date(clock.now.orJustAfter(old))
        let needsPassword = updated.attributes.accessControl?.constraints?.requiresApplicationPassword ?? false
        let passwordKey = needsPassword ? authorization.keyForNewItems ?? change.passwordKey : nil
        try keepFormerValue(of: change, in: &updated, passwordKey)
        let changed = Set(change.changes.attributes.keys).union([.modificationDate])
        let replaced = ReplacedRow(change.row.row, changed: changed)
        var sealed = try sealer.seal(&updated, passwordKey, replacing: replaced)
        // A tombstone or a damaged row with the new primary key is replaced.
        while try !writer.update(change.row, to: sealed) {
            guard let existing = try removeConflictingRow(sealed.itemClass, sealed.primaryKeyTag) else { continue }
            guard existing.isTombstone else {
                throw KeychainError(.duplicateItem, "an item with the new primary key exists")
            }
            updated.attributes[.modificationDate] = .date(clock.now.orJustAfter(existing.modificationDate))
            sealed = try sealer.seal(&updated, passwordKey, replacing: replaced)
        }
        if !keepsPrimaryKey, isSynchronizable {
            let tombstone = try tombstone(of: item.attributes, item.itemClass, identifier: random.bytes16())
            // Another item of the same update may have taken the old primary key; then no tombstone is needed.
            _ = try writer.insert(tombstone)
        }
    }
}

extension ItemTransaction {
    /// An item that is to be changed.
    enum WholeItem {
        case open(Item, PasswordKey?)
        case demands(AuthenticationDemand)
        /// It can never be read, and so not be resealed.
        case denied
    }

    /// Opens a row, attributes and secret, because an update reseals everything.
    func openWhole(_ row: NumberedRow, _ metadata: OpenedMetadata) throws(KeychainError) -> Opened<WholeItem> {
        let passwordKey: PasswordKey?
        switch try readAccess(to: row, metadata) {
        case .damaged(let damaged): return .damaged(damaged)
        case .content(.denied): return .content(.denied)
        case .content(.demands(let demand)): return .content(.demands(demand))
        case .content(.granted(let key)): passwordKey = key
        }
        switch try sealer.openSecret(of: row, metadata: metadata, passwordKey: passwordKey) {
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
}

extension Attributes {
    /// To the primary key an empty view hint is the same as none (Semantics, "Attributes of each class").
    mutating func leaveOutEmptyViewHint() {
        if self[.viewHint] == .string("") { self[.viewHint] = nil }
    }
}

extension Attributes {
    /// Gives changed columns to the lookup attributes, so that both say the same (Documentation/Format.md, "Lookup
    /// attributes").
    fileprivate mutating func updateLookup(of former: Item) {
        guard var record = lookupRecord else { return }
        record.attributes = LookupMapping.updated(
            record.attributes,
            of: former.itemClass,
            from: former.attributes,
            to: self
        )
        lookupRecord = record
    }
}

extension Item {
    /// Takes new values; accessibility and access control replace each other.
    fileprivate mutating func apply(_ changes: UpdateAttributes) {
        attributes.merge(changes.attributes) { $1 }
        attributes.leaveOutEmptyViewHint()
        if let protection = changes.attributes.protection {
            attributes[.accessible] = .string(protection.rawValue)
            let replaces = changes.attributes.accessControl?.constraints != nil
            attributes[.accessControl] = replaces ? changes.attributes[.accessControl] : nil
        }
        if let data = changes.data { secret = data }
    }
}
