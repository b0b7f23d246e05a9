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
        var survey = MoveSurvey()
        if move.isRehearsal {
            try read { (reader) throws(KeychainError) in
                survey = MoveSurvey()
                for request in requests {
                    try ItemTransaction(reader, engine: self, groups: request.groups, under: authorization)
                        .survey(request, into: &survey)
                }
            }
            return survey.report
        }
        try write { (writer) throws(KeychainError) in
            survey = MoveSurvey()
            var moves: [(ItemWriteTransaction, Range<Int>)] = []
            for request in requests {
                let transaction = ItemWriteTransaction(
                    writer,
                    engine: self,
                    groups: request.groups,
                    under: authorization
                )
                let count = survey.changes.count
                try transaction.survey(request, into: &survey)
                moves.append((transaction, count..<survey.changes.count))
            }
            guard survey.report.obstacles.isEmpty || move.isPartial else { return }
            if !survey.demand.isEmpty { throw authorization.require(survey.demand) }
            for (transaction, range) in moves {
                for change in survey.changes[range] { try transaction.replace(change) }
            }
            survey.report.isDone = true
        }
        // They are in the report, and the next move is not held up by them.
        if !survey.damaged.isEmpty { _ = reportDamage(survey.damaged, authorization) }
        return survey.report
    }
}

/// What a move finds before it changes anything: a rehearsal ends with it, so that the two cannot disagree.
private struct MoveSurvey {
    /// The items, those that can be moved and those that cannot.
    var report = GroupMoveReport()
    /// The items to move, except for those that the owner has to authenticate for.
    var changes: [ItemWriteTransaction.PendingChange] = []
    /// What the owner has to authenticate for.
    var demand = AuthenticationDemand()
    /// The rows that do not open.
    var damaged: [DamagedRow] = []
}

extension ItemTransaction {
    /// Opens the items of a class that are to be moved, and adds them to a survey.
    fileprivate func survey(_ request: CheckedRequest, into survey: inout MoveSurvey) throws(KeychainError) {
        // None is no error, as it is of an update.
        for row in try rows(plan(request.query, of: .update).selection(tags)) {
            let metadata: OpenedMetadata
            switch try sealer.openMetadata(row) {
            case .damaged(let damaged):
                survey.add(damaged, GroupMoveReport.Item(row))
                continue
            case .content(let content): metadata = content
            }
            try request.changes.check(for: metadata.attributes)
            let item = GroupMoveReport.Item(row, metadata.attributes)
            if try isTaken(in: request, row.row.itemClass, metadata.attributes) {
                survey.report.obstacles.append(GroupMoveReport.Obstacle(item, .exists))
                continue
            }
            switch try openWhole(row, metadata) {
            case .damaged(let damaged): survey.add(damaged, item)
            case .content(.denied): survey.report.obstacles.append(GroupMoveReport.Obstacle(item, .neverReadable))
            case .content(.demands(let demand)):
                let hasPasscode = device.keybag.passcodeSlot != nil
                if let failure = authorization.obstacle(to: demand, hasPasscode: hasPasscode) {
                    survey.report.obstacles.append(GroupMoveReport.Obstacle(item, .unauthenticated(failure)))
                } else {
                    survey.demand.add(demand)
                    survey.report.moved.append(item)
                }
            case .content(.open(let opened, let key)):
                survey.report.moved.append(item)
                survey.changes.append(
                    ItemWriteTransaction.PendingChange(
                        row: row,
                        item: opened,
                        passwordKey: key,
                        changes: request.changes
                    )
                )
            }
        }
    }

    /// Whether the other group has an item with the same primary key.
    private func isTaken(
        in request: CheckedRequest,
        _ itemClass: ItemClass,
        _ attributes: Attributes
    ) throws(KeychainError) -> Bool {
        var other = RowFilter(itemClass)
        other.primaryKey = tags.primaryKeyTag(
            ItemSchema.of(itemClass),
            attributes.merging(request.changes.attributes) { $1 }
        )
        other.destroyedGeneration = device.keybag.destroyedGeneration
        return try !rows.rows(other, limit: 1).isEmpty
    }
}

extension MoveSurvey {
    fileprivate mutating func add(_ row: DamagedRow, _ item: GroupMoveReport.Item) {
        damaged.append(row)
        report.obstacles.append(GroupMoveReport.Obstacle(item, .damaged))
    }
}

extension GroupMoveReport.Item {
    fileprivate init(_ row: NumberedRow, _ attributes: Attributes = [:]) {
        let itemClass = row.row.itemClass
        self.init(
            itemClass: itemClass,
            persistentReference: row.row.identifier.persistentReference(of: itemClass).unprotectedCopy,
            name: attributes.itemName
        )
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
