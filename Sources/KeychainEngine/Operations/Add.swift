// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// `SecItemAdd` (Semantics, "Adding an item"; the order of checks is that of section 3.6).
extension Engine {
    func add(
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        if let identity = dictionary.identity {
            return try addIdentity(identity, dictionary, for: client, authorization)
        }
        var addition = try addition(dictionary, for: client, authorization)
        try write { (writer) throws(KeychainError) in
            try store(&addition.item, device.searchTags(), authorization, writer)
        }
        return ResultShape.added(Item(addition.item), addition.query)
    }

    /// An add that was checked: what is stored, and what is wanted of it.
    struct Addition {
        let query: Query
        var item: SealableItem
    }

    /// Checks an add, one of an identity excepted.
    func addition(
        _ dictionary: PropertyDictionary,
        for client: Client,
        _ authorization: Authorization
    ) throws(KeychainError) -> Addition {
        let dictionary = try ClientChecks.prepare(dictionary, isAdd: true)
        try GuardedAttributes.check(dictionary, in: .add)
        let groups = try AccessGroups(client)
        let defaultGroup = try groups.defaultGroup()
        let query = try QueryParser.parse(dictionary)
        authorization.begin(query)
        try groups.checkWritable(dictionary[AttributeName.accessGroup.description])
        try checkAdd(query)

        var item = newItem(query, defaultGroup: defaultGroup)
        item.attributes.bindAccessControl(to: authorization.enrolledSet)
        try groups.checkAppClip(item.attributes[.accessGroup])
        try groups.checkSynchronizable(item.attributes[.synchronizable])
        if query.isDataTooLarge { throw .secretTooLarge }
        let sealable = SealableItem(
            itemClass: item.itemClass,
            identifier: item.identifier,
            protection: AccessControlRules.protection(item.attributes) ?? query.schema.defaultAccessibility,
            attributes: item.attributes,
            secret: item.secret
        )
        return Addition(query: query, item: sealable)
    }

    /// Stores an item; a tombstone that makes way for it passes its identifier on.
    func store(
        _ item: inout SealableItem,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ writer: RowWriter
    ) throws(KeychainError) {
        // Without keys the answer is about the keys, even for a duplicate.
        try checkAvailable(item.protection)
        let passwordKey = try permission(toStore: item, tags, authorization, writer)
        let row = try seal(&item, tags, passwordKey)
        item.identifier = try insert(row, item, tags, passwordKey, writer)
    }

    /// What an add does not take.
    private func checkAdd(_ query: Query) throws(KeychainError) {
        try query.refuseMatchKeys(of: "SecItemAdd")
        guard !query.hasItemList else { throw .parameter("kSecUseItemList has no meaning in SecItemAdd") }
        switch query.reference {
        case .row?, .token?: throw .parameter("an item cannot be added under a legacy reference or that of a token")
        case .item?, nil: break
        }
        guard query.itemClass != .identity else {
            throw KeychainError(.internal, "an identity is added by its reference, as a certificate and a key")
        }
    }

    /// The item with every default filled in and both dates set to now.
    private func newItem(_ query: Query, defaultGroup: String) -> Item {
        var attributes = query.attributes
        for column in query.schema.columns where column.access == .computed { attributes[column.name] = nil }
        for column in query.schema.columns {
            if attributes[column.name] == nil { attributes[column.name] = column.defaultValue }
        }
        if case .exactly(let value)? = query.scope { attributes[.synchronizable] = value }
        if attributes[.accessGroup] == nil { attributes[.accessGroup] = .string(defaultGroup) }
        if query.accessControl?.constraints == nil {
            if let protection = query.accessControl?.protection {
                attributes[.accessible] = .string(protection.rawValue)
            }
            attributes[.accessControl] = nil
        }
        if AccessControlRules.protection(attributes) == nil {
            attributes[.accessible] = .string(query.defaultAccessibility(in: attributes[.accessGroup]).rawValue)
        }
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

    /// Inserts the row; a tombstone or a damaged row of the same primary key makes way.
    ///
    /// - Returns: The identifier under which the item is stored: a tombstone passes its own on.
    private func insert(
        _ row: StoredRow,
        _ item: SealableItem,
        _ tags: SearchTags,
        _ passwordKey: PasswordKey?,
        _ writer: RowWriter
    ) throws(KeychainError) -> ItemIdentifier {
        if try writer.insert(row) { return row.identifier }
        guard let existing = try clearWay(for: row.itemClass, row.primaryKeyTag, tags, writer) else {
            return try insert(row, item, tags, passwordKey, writer)
        }
        guard existing.row.isTombstone else {
            throw KeychainError(.duplicateItem, "an item with the same primary key exists")
        }
        var successor = item
        successor.identifier = existing.row.identifier
        let row = try seal(&successor, tags, passwordKey)
        return try insert(row, successor, tags, passwordKey, writer)
    }

    /// What an access control asks of somebody who stores an item under it.
    ///
    /// That there is somebody who can satisfy it, and the application password, which is a part of the key. A duplicate
    /// is told first, because nobody is asked for one (Semantics, "Access control").
    ///
    /// - Returns: The key of the application password, if the access control names one.
    private func permission(
        toStore item: SealableItem,
        _ tags: SearchTags,
        _ authorization: Authorization,
        _ writer: RowWriter
    ) throws(KeychainError) -> PasswordKey? {
        guard let accessControl = item.attributes.accessControl, let constraints = accessControl.constraints else {
            return nil
        }
        if let obstacle = authorization.obstacle(toStoring: accessControl, on: device) { throw obstacle }
        // The password for a key of the Secure Enclave is a part of its sealed form.
        guard constraints.requiresApplicationPassword, !item.attributes.areOfEnclaveKey else { return nil }
        if let key = authorization.keyForNewItems { return key }
        let primaryKey = tags.primaryKeyTag(ItemSchema.of(item.itemClass), item.attributes)
        if try isTaken(item.itemClass, primaryKey, tags, writer) {
            throw KeychainError(.duplicateItem, "an item with the same primary key exists")
        }
        throw authorization.require(AuthenticationDemand(needsNewPassword: true))
    }
}

extension Query {
    /// The accessibility of a new item that names none (Semantics, "Computed attributes").
    fileprivate func defaultAccessibility(in group: AttributeValue?) -> Accessibility {
        group == .string("com.apple.apsd") ? .alwaysThisDeviceOnly : schema.defaultAccessibility
    }
}
