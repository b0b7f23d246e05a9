// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemAdd` (Semantics, "Adding an item").
extension Engine {
    func add(_ request: ItemRequest, _ authorization: Authorization) throws(KeychainError) -> KeychainAnswer {
        if let identity = request.dictionary.identity {
            return try addIdentity(identity, for: request, under: authorization)
        }
        let request = try authorization.checked(request)
        let item = newItem(request, authorization)
        let stored = try changeItems(for: request, authorization) { (transaction) throws(KeychainError) in
            try transaction.store(item)
        }
        return ResultShape.added(stored, request.query)
    }

    /// The item that an add stores: every default filled in, and both dates set to now.
    func newItem(_ request: CheckedRequest, _ authorization: Authorization) -> Item {
        let query = request.query
        var attributes = query.attributes
        for column in query.schema.filledIn where column.access == .computed || attributes[column.name] == nil {
            attributes[column.name] = column.defaultValue
        }
        if case .exactly(let value)? = query.scope { attributes[.synchronizable] = value }
        if attributes[.accessGroup] == nil { attributes[.accessGroup] = request.groups.default.map { .string($0) } }
        if query.accessControl?.constraints == nil {
            if let protection = query.accessControl?.protection {
                attributes[.accessible] = .string(protection.rawValue)
            }
            attributes[.accessControl] = nil
        }
        if attributes.protection == nil {
            attributes[.accessible] = .string(query.defaultAccessibility(in: attributes[.accessGroup]).rawValue)
        }
        attributes.bindAccessControl(to: authorization.enrolledSet)
        attributes.leaveOutEmptyViewHint()
        let now = AttributeValue.date(clock.now)
        attributes[.creationDate] = now
        attributes[.modificationDate] = now
        return Item(
            itemClass: query.itemClass,
            identifier: random.bytes16(),
            attributes: attributes,
            secret: query.data
        )
    }
}

extension ItemWriteTransaction {
    /// Stores an item; a tombstone that it replaces passes its identifier on, and is older than it.
    ///
    /// - Returns: The item as it is stored.
    func store(_ item: Item) throws(KeychainError) -> Item {
        // Without keys the answer is about the keys, even for a duplicate.
        try device.checkAvailable(item.protection)
        let passwordKey = try passwordKey(forStoring: item)
        var item = item
        var row = try sealer.seal(&item, passwordKey)
        while try !writer.insert(row) {
            guard let existing = try removeConflictingRow(row.itemClass, row.primaryKeyTag) else { continue }
            guard existing.isTombstone else { throw .duplicateItem }
            item.identifier = existing.identifier
            let date = clock.now.orJustAfter(existing.modificationDate)
            item.attributes[.creationDate] = .date(date)
            item.attributes[.modificationDate] = .date(date)
            row = try sealer.seal(&item, passwordKey)
        }
        return item
    }

    /// What an access control requires to store an item under it.
    ///
    /// It requires that its constraints can be satisfied, and the application password, which is a part of the key. A
    /// duplicate is reported first, because there is no prompt for one (Semantics, "Access control").
    ///
    /// - Returns: The key of the application password, if the access control names one.
    private func passwordKey(forStoring item: Item) throws(KeychainError) -> PasswordKey? {
        guard let accessControl = item.attributes.accessControl, let constraints = accessControl.constraints else {
            return nil
        }
        if !item.attributes.areOfEnclaveKey, let refusal = authorization.refusal(toStoreUnder: accessControl) {
            throw refusal
        }
        if let obstacle = authorization.obstacle(toStoring: accessControl, on: device) { throw obstacle }
        // The password for a key of the Secure Enclave is a part of its sealed form.
        guard constraints.requiresApplicationPassword, !item.attributes.areOfEnclaveKey else { return nil }
        if let key = authorization.keyForNewItems { return key }
        let primaryKey = tags.primaryKeyTag(ItemSchema.of(item.itemClass), item.attributes)
        if try isTaken(item.itemClass, primaryKey) { throw .duplicateItem }
        throw authorization.require(AuthenticationDemand(needsNewPassword: true))
    }
}

extension KeychainError {
    fileprivate static let duplicateItem = KeychainError(
        .duplicateItem,
        "an item with the same primary key exists"
    )
}

extension Query {
    /// The accessibility of a new item that names none (Semantics, "Computed attributes").
    fileprivate func defaultAccessibility(in group: AttributeValue?) -> Accessibility {
        group == .string("com.apple.apsd") ? .alwaysThisDeviceOnly : schema.defaultAccessibility
    }
}
