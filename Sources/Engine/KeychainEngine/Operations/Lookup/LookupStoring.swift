// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Stores and changes items by their lookup attributes.
extension ItemWriteTransaction {
    /// Stores an item, in place of one that has exactly the same lookup attributes if it replaces.
    ///
    /// One that has the same primary key, but other lookup attributes or none that are replaced, stays beside it.
    func store(_ contents: LookupContents, replacing: Bool) throws(KeychainError) -> LookupStored {
        try groups.checkAnyWritable()
        // Without keys the answer is about the keys.
        try device.checkAvailable(.whenUnlocked)
        if replacing, let (row, metadata) = try equal(contents.attributes) {
            var changes = UpdateAttributes()
            changes.attributes = [.label: .string(contents.label)]
            changes.attributes.lookupRecord = LookupRecord(contents.attributes, contentType: contents.contentType)
            try change(row, metadata, by: changes, secret: contents.secret)
            return LookupStored(row.row.identifier, isNew: false)
        }
        var item = newItem(contents)
        if try isTaken(item.itemClass, tags.primaryKeyTag(ItemSchema.of(item.itemClass), item.attributes)) {
            item.attributes[.viewHint] = newViewHint
        }
        if let secretForm { item.secret = try secretForm.form(ofNew: item) }
        try beginFileLookups()
        return LookupStored(try store(item).identifier, isNew: true)
    }

    private func newItem(_ contents: LookupContents) -> Item {
        let itemClass = LookupMapping.itemClass(of: contents.attributes)
        var attributes = LookupMapping.columnValues(contents.attributes, of: itemClass)
        for column in ItemSchema.of(itemClass).filledIn where attributes[column.name] == nil {
            attributes[column.name] = column.defaultValue
        }
        attributes[.accessGroup] = groups.default.map { .string($0) }
        attributes[.accessible] = .string(Accessibility.whenUnlocked.rawValue)
        if !contents.label.isEmpty { attributes[.label] = .string(contents.label) }
        attributes.lookupRecord = LookupRecord(contents.attributes, contentType: contents.contentType)
        let now = clock.now
        attributes[.creationDate] = .date(contents.created ?? now)
        attributes[.modificationDate] = .date(contents.modified ?? now)
        return Item(
            itemClass: itemClass,
            identifier: random.bytes16(),
            attributes: attributes,
            secret: contents.secret
        )
    }

    /// A part of the primary key that no query names, so that items with the same columns can be beside each other.
    private var newViewHint: AttributeValue { .string(random.bytes16().bytes.hexadecimal) }

    /// The item with exactly these lookup attributes, one of the default group first.
    private func equal(_ attributes: LookupAttributes) throws(KeychainError) -> (NumberedRow, OpenedMetadata)? {
        var equals: [(NumberedRow, OpenedMetadata)] = []
        for itemClass in LookupMapping.classes {
            for row in try mayEqual(attributes, itemClass) {
                let view = try lookupView(row)
                if case .damaged(let damaged) = view { try writer.quarantine(damaged) }
                guard let metadata = view.metadata else { continue }
                let isEqual =
                    metadata.attributes.lookupRecord.map { $0.attributes == attributes }
                    ?? LookupMapping.areDerived(attributes, from: metadata.attributes, of: itemClass)
                if isEqual { equals.append((row, metadata)) }
            }
        }
        let group = groups.default.map { AttributeValue.string($0) }
        return equals.first { $0.1.attributes[.accessGroup] == group } ?? equals.first
    }

    /// The rows among which those with exactly these lookup attributes are.
    private func mayEqual(
        _ attributes: LookupAttributes,
        _ itemClass: ItemClass
    ) throws(KeychainError) -> [NumberedRow] {
        // Nothing is listed of them.
        if device.isOfKeychainFile { return try candidates(attributes, itemClass, in: groups.writable) }
        let wholeTag = try lookupTags().wholeTag(attributes, in: itemClass)
        var rows: [NumberedRow] = []
        for number in try self.rows.rowNumbers(listedWithWhole: wholeTag, itemClass) {
            var filter = lookupFilter(itemClass, in: groups.writable)
            filter.rowNumber = number
            rows += try lookupRows(filter)
        }
        // Items of item functions, by their columns.
        if !attributes.isEmpty, LookupMapping.conditions(attributes, of: itemClass) != nil {
            rows += try candidates(attributes, itemClass, in: groups.writable)
        }
        return rows
    }

    /// Makes a change of an item.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecInteractionNotAllowed` if it is locked.
    func change(_ identifier: ItemIdentifier, _ change: LookupChange) throws(KeychainError) {
        let (row, metadata) = try openRow(identifier)
        let itemClass = row.row.itemClass
        let record = metadata.attributes.lookupRecord
        var changes = UpdateAttributes()
        var newSecret: SecretBytes?
        switch change {
        case .label(let label): changes.attributes[.label] = .string(label)
        case .secret(let secret, let contentType):
            newSecret = secret
            // An item of the item functions has none.
            if var record {
                record.contentType = contentType
                changes.attributes.lookupRecord = record
            }
        case .attributes(let attributes):
            changes.attributes = LookupMapping.columnValues(attributes, of: itemClass)
            let kept = if let record { record.contentType } else { try contentType(of: row, metadata) }
            changes.attributes.lookupRecord = LookupRecord(attributes, contentType: kept)
            let tag = tags.primaryKeyTag(
                ItemSchema.of(itemClass),
                metadata.attributes.merging(changes.attributes) { $1 }
            )
            if tag != row.row.primaryKeyTag, try isTaken(itemClass, tag) {
                changes.attributes[.viewHint] = newViewHint
            }
            try beginFileLookups()
        }
        try self.change(row, metadata, by: changes, secret: newSecret)
    }

    /// Deletes an item, as an item function does: without the owner, but not while it is locked.
    func deleteLookup(_ identifier: ItemIdentifier) throws(KeychainError) {
        try writer.delete(try openRow(identifier).0)
        try endUnusedFileLookups()
    }

    private func openRow(_ identifier: ItemIdentifier) throws(KeychainError) -> (NumberedRow, OpenedMetadata) {
        guard let row = try lookupRow(identifier, in: groups.writable) else { throw .noLookupItem }
        let view = try lookupView(row)
        if let metadata = view.metadata { return (row, metadata) }
        if case .damaged(let damaged) = view { throw KeychainError(.damagedRow(damaged.damage)) }
        throw KeychainError(.classUnavailable(row.row.protection))
    }

    private func contentType(of row: NumberedRow, _ metadata: OpenedMetadata) throws(KeychainError) -> String {
        guard case .content(.open(let item, _)) = try openWhole(row, metadata) else {
            return LookupMapping.contentType(of: SecretBytes([0xFF]))
        }
        return LookupMapping.contentType(of: try bareSecret(of: item))
    }

    /// Has a keychain file say that an item has lookup attributes.
    private func beginFileLookups() throws(KeychainError) {
        if device.isOfKeychainFile { try writer.adopt(.fileLookups) }
    }

    /// Has a keychain file say no more that items have lookup attributes, if none has any.
    private func endUnusedFileLookups() throws(KeychainError) {
        if device.isOfKeychainFile, try !hasLookupRecords() { try writer.retire(.fileLookups) }
    }

    /// Whether an item has lookup attributes of its own; in a keychain file, where that can be read at any time.
    private func hasLookupRecords() throws(KeychainError) -> Bool {
        for itemClass in LookupMapping.classes {
            for row in try rows.rows(RowFilter(itemClass)) {
                guard case .content(let metadata) = try sealer.openMetadata(row) else { return true }
                if metadata.attributes.lookupRecord != nil { return true }
            }
        }
        return false
    }

    private func change(
        _ row: NumberedRow,
        _ metadata: OpenedMetadata,
        by changes: UpdateAttributes,
        secret: SecretBytes?
    ) throws(KeychainError) {
        var changes = changes
        changes.data = secret
        switch try openWhole(row, metadata) {
        case .damaged(let damaged): throw KeychainError(.damagedRow(damaged.damage))
        case .content(.denied): throw .neverReadable
        case .content(.demands(let demand)): throw authorization.require(demand)
        case .content(.open(let item, let key)):
            if let secretForm {
                // What was altered must not be bound to its attributes again.
                let old = try secretForm.secret(of: item)
                changes.data = try secretForm.form(of: item, with: secret ?? old)
            }
            try replace(PendingChange(row: row, item: item, passwordKey: key, changes: changes))
        }
    }
}
