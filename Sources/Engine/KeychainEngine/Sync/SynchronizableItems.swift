// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The synchronizable items of a keychain in one transaction, as what others changed is merged into them.
///
/// Dates are those that are given: a change that arrives is as old as it is. What was read and what is written are one
/// change of the store.
package final class SynchronizableItems {
    /// A row of a synchronizable item.
    package struct Row: Sendable {
        /// What is known of it.
        package enum Content: Sendable {
            /// An item that opens.
            case item(Attributes, secret: SecretBytes?)
            /// The memory of a deleted item: its primary key and dates.
            case tombstone(Attributes)
            /// Its keys are not available now.
            case locked
            /// It does not open, or is in quarantine.
            case damaged
        }

        /// The class.
        package let itemClass: ItemClass
        /// The identifier, which stays as long as the row.
        package let identifier: ItemIdentifier
        /// The content.
        package let content: Content
    }

    private let writer: RowWriter
    private let sealer: ItemSealer
    private let random: any RandomSource

    init(_ writer: RowWriter, of engine: Engine) {
        self.writer = writer
        sealer = ItemSealer(engine.device, engine.searchTagCache, opensSecrets: true)
        random = engine.random
    }

    /// All rows, those of tombstones and those in quarantine too; none that an access control guards.
    package func rows() throws(KeychainError) -> [Row] {
        var found: [Row] = []
        for itemClass in ItemClass.stored {
            var filter = RowFilter(itemClass)
            filter.tags = [
                sealer.tags.attributeTag(in: itemClass, name: .synchronizable, value: .number(.integer(1)))
            ]
            filter.includesTombstones = true
            for row in try writer.everyRow(filter) where !sealer.device.isDestroyed(row.row) {
                guard let content = try content(of: row) else { continue }
                found.append(Row(itemClass: itemClass, identifier: row.row.identifier, content: content))
            }
        }
        return found
    }

    private func content(of row: NumberedRow) throws(KeychainError) -> Row.Content? {
        if row.damage != nil || row.isOversized { return .damaged }
        switch try sealer.isLocked(row) {
        case .damaged: return .damaged
        case .content(true): return .locked
        case .content(false): break
        }
        guard case .content(let metadata) = try sealer.openMetadata(row) else { return .damaged }
        if row.row.isTombstone { return .tombstone(metadata.attributes) }
        // What an access control guards stays on its device, keys of the enclave among it.
        guard metadata.attributes.accessControl?.constraints == nil, !metadata.attributes.areOfEnclaveKey else {
            return nil
        }
        guard case .content(let secret) = try sealer.openSecret(of: row, metadata: metadata, passwordKey: nil) else {
            return .damaged
        }
        return .item(metadata.attributes, secret: secret)
    }

    /// Puts an item that arrived in place of what has its primary key, whose identifier it keeps, and former values if
    /// their level is the same.
    ///
    /// - Returns: The identifier.
    /// - Throws: `errSecInteractionNotAllowed` if its keys are not available.
    package func put(
        _ itemClass: ItemClass,
        _ attributes: Attributes,
        secret: SecretBytes?
    ) throws(KeychainError) -> ItemIdentifier {
        var item = Item(
            itemClass: itemClass,
            identifier: random.bytes16(),
            attributes: attributes,
            secret: secret
        )
        item.attributes[.synchronizable] = .number(.integer(1))
        try sealer.device.checkAvailable(item.protection)
        var filter = RowFilter(itemClass)
        filter.primaryKey = sealer.tags.primaryKeyTag(ItemSchema.of(itemClass), item.attributes)
        filter.includesTombstones = true
        for existing in try writer.everyRow(filter) {
            item.identifier = existing.row.identifier
            if case .content(let metadata)? = try? sealer.openMetadata(existing),
                metadata.attributes.protection == item.attributes.protection
            {
                item.attributes[.history] = metadata.attributes[.history]
            }
            try writer.delete(existing)
        }
        guard try writer.insert(try sealer.seal(&item)) else {
            throw KeychainError(.internalComponent, "an item could not be added under a primary key that is free")
        }
        return item.identifier
    }

    /// Leaves a tombstone of a date in place of an item; of one that is locked or damaged, nothing is left.
    ///
    /// - Returns: Whether there is a tombstone.
    package func bury(
        _ itemClass: ItemClass,
        _ identifier: ItemIdentifier,
        date: Timestamp
    ) throws(KeychainError) -> Bool {
        guard let row = try row(itemClass, identifier) else { return false }
        guard row.damage == nil, case .content(let metadata)? = try? sealer.openMetadata(row) else {
            try writer.delete(row)
            return false
        }
        let tombstone = try sealer.tombstone(of: metadata.attributes, itemClass, identifier: identifier, date: date)
        return try writer.update(row, to: tombstone)
    }

    /// Removes a row, and leaves nothing.
    package func remove(_ itemClass: ItemClass, _ identifier: ItemIdentifier) throws(KeychainError) {
        if let row = try row(itemClass, identifier) { try writer.delete(row) }
    }

    private func row(_ itemClass: ItemClass, _ identifier: ItemIdentifier) throws(KeychainError) -> NumberedRow? {
        var filter = RowFilter(itemClass)
        filter.identifier = identifier
        filter.includesTombstones = true
        return try writer.everyRow(filter).first
    }
}

extension EmbeddedKeychain {
    /// Reads and changes the synchronizable items as one change: durable when this returns, undone when it throws.
    package func changeSynchronizableItems<Result>(_ body: (SynchronizableItems) throws -> Result) throws -> Result {
        var failure: (any Error)?
        do {
            return try withEngine(.changing) { (engine) throws(KeychainError) in
                try engine.write { (writer) throws(KeychainError) in
                    do {
                        return try body(SynchronizableItems(writer, of: engine))
                    } catch let error as KeychainError {
                        throw error
                    } catch {
                        failure = error
                        throw KeychainError(.internalComponent, "the change was given up")
                    }
                }
            }
        } catch {
            throw failure ?? error
        }
    }
}
