// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Moves all items of an access group to another one.
extension EmbeddedKeychain {
    func moveGroup(_ move: GroupMove) throws(KeychainError) -> GroupMoveReport {
        guard !move.source.utf8.elementsEqual(move.target.utf8) else {
            throw .parameter("both access groups are the same")
        }
        let groups = [move.source, move.target]
        guard !groups.contains(where: { $0.isEmpty || $0 == Client.everyGroup }) else {
            throw .parameter("an access group is not a name")
        }
        guard !groups.contains(PropertyKey.accessGroupToken) else {
            throw KeychainError(.missingEntitlement, "items of hardware tokens stay in their access group")
        }
        return try access.withEngine(Authorization(evaluator), for: move.isRehearsal ? .reading : .changingStored) {
            (engine, authorization) throws(KeychainError) in
            try engine.moveGroup(move, authorization)
        }
    }
}

extension Engine {
    fileprivate func moveGroup(
        _ move: GroupMove,
        _ authorization: Authorization
    ) throws(KeychainError) -> GroupMoveReport {
        var requests: [CheckedRequest] = []
        for itemClass in ItemClass.stored {
            let update = move.update(of: itemClass)
            guard case .update(let query, let attributes) = update.operation else { throw .unexpectedReply }
            // Before anything is read, so that a group which the client may not use tells nothing.
            requests.append(
                try ItemRequest(function: .update, client: move.client, dictionary: query, attributes: attributes)
                    .checked()
            )
        }
        var damaged: DamagedRow?
        let report: GroupMoveReport
        if move.isRehearsal {
            report = try read { (reader) throws(KeychainError) in
                var report = GroupMoveReport()
                for request in requests {
                    let transaction = ItemTransaction(
                        reader,
                        engine: self,
                        groups: request.groups,
                        under: authorization
                    )
                    damaged = try transaction.listMove(request, in: &report)
                    if damaged != nil { break }
                }
                return report
            }
        } else {
            report = try write { (writer) throws(KeychainError) in
                var report = GroupMoveReport()
                var moves: [(ItemWriteTransaction, ItemWriteTransaction.PendingChange)] = []
                var demand = AuthenticationDemand()
                for request in requests {
                    let transaction = ItemWriteTransaction(
                        writer,
                        engine: self,
                        groups: request.groups,
                        under: authorization
                    )
                    damaged = try transaction.collectMove(request, into: &moves, asking: &demand, in: &report)
                    if damaged != nil { return report }
                }
                if !demand.isEmpty { throw authorization.require(demand) }
                guard report.collisions.isEmpty || move.leavesCollisions else { return report }
                for (transaction, change) in moves { try transaction.replace(change) }
                report.isDone = true
                return report
            }
        }
        if let damaged { throw reportDamage([damaged], authorization) }
        return report
    }
}

extension ItemTransaction {
    /// The rows that an update of a group selects: none is no error.
    fileprivate func movedRows(_ request: CheckedRequest) throws(KeychainError) -> [NumberedRow] {
        try rows(plan(request.query, of: .update).selection(tags))
    }

    /// Lists what a move would do, without opening a secret.
    ///
    /// - Returns: A row that does not open.
    fileprivate func listMove(
        _ request: CheckedRequest,
        in report: inout GroupMoveReport
    ) throws(KeychainError) -> DamagedRow? {
        for row in try movedRows(request) {
            switch try sealer.openMetadata(row) {
            case .damaged(let damaged): return damaged
            case .content(let metadata):
                try request.changes.check(for: metadata.attributes)
                try list(row, metadata.attributes, for: request, in: &report)
            }
        }
        return nil
    }

    /// Adds an item to the report.
    ///
    /// - Returns: Whether it can be moved: no item of the other group has its primary key.
    @discardableResult
    fileprivate func list(
        _ row: NumberedRow,
        _ attributes: Attributes,
        for request: CheckedRequest,
        in report: inout GroupMoveReport
    ) throws(KeychainError) -> Bool {
        let itemClass = row.row.itemClass
        let item = GroupMoveReport.Item(
            itemClass: itemClass,
            persistentReference: PersistentReference.bytes(itemClass, row.row.identifier).unprotectedCopy,
            name: attributes.itemName
        )
        var other = RowFilter(itemClass)
        other.primaryKey = tags.primaryKeyTag(
            ItemSchema.of(itemClass),
            attributes.merging(request.changes.attributes) { $1 }
        )
        other.destroyedGeneration = device.keybag.destroyedGeneration
        guard try rows.rows(other, limit: 1).isEmpty else {
            report.collisions.append(item)
            return false
        }
        report.moved.append(item)
        return true
    }
}

extension ItemWriteTransaction {
    /// Opens the items of a class that are to be moved, and adds them to the report.
    ///
    /// - Returns: A row that does not open.
    fileprivate func collectMove(
        _ request: CheckedRequest,
        into moves: inout [(ItemWriteTransaction, PendingChange)],
        asking demand: inout AuthenticationDemand,
        in report: inout GroupMoveReport
    ) throws(KeychainError) -> DamagedRow? {
        // A search that finds nothing is an error of an update.
        guard try !movedRows(request).isEmpty else { return nil }
        var changes = PendingChanges()
        if let damaged = try collect(request, &changes) { return damaged }
        demand.add(changes.demand)
        for change in changes.items where try list(change.row, change.item.attributes, for: request, in: &report) {
            moves.append((self, change))
        }
        return nil
    }
}

extension Attributes {
    /// What tells the item from others of its class, in the form that commands show: without secrets.
    fileprivate var itemName: String {
        let parts = [self[.service] ?? self[.server], self[.account]].compactMap { $0?.nameText }
        return (parts.isEmpty ? [self[.label]?.nameText ?? ""] : parts).joined(separator: "/")
    }
}

extension AttributeValue {
    fileprivate var nameText: String? {
        switch self {
        case .string(let text): text.printable
        case .data(let bytes): String(validating: bytes, as: UTF8.self)?.printable ?? bytes.hexadecimal
        default: nil
        }
    }
}
