// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Former values of items: they are kept only where the user has asked for it, and read and restored like the item.
extension EmbeddedKeychain {
    func perform(_ request: HistoryRequest) throws(KeychainError) -> KeychainReply {
        try request.checkSizes()
        let groups = try AccessGroups(ofLookupsBy: request.client)
        let authorization = Authorization(evaluator)
        authorization.begin(request.context)
        return try access.withEngine(authorization, for: request.operation.use) {
            (engine, authorization) throws(KeychainError) in
            try engine.perform(request.operation, as: groups, authorization)
        }
    }
}

extension HistoryRequest.Operation {
    fileprivate var use: EngineAccess.Use {
        switch self {
        case .values, .secret: .reading
        case .numberForAll: .observing
        case .restore, .keep, .clear, .clearAll: .changingStored
        case .keepForAll: .changing
        }
    }
}

extension Engine {
    fileprivate func perform(
        _ operation: HistoryRequest.Operation,
        as groups: AccessGroups,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainReply {
        switch operation {
        case .values(let subject):
            return .history(
                try reading(as: groups, authorization) { (items) throws(KeychainError) in
                    try items.history(of: subject)
                }
            )
        case .secret(let subject, let name):
            return .secret(
                try reading(as: groups, authorization) { (items) throws(KeychainError) in
                    try items.formerSecret(name, of: subject)
                }
            )
        case .numberForAll:
            return .count(try read { (reader) throws(KeychainError) in try reader.historyNumber() ?? 0 })
        case .restore(let subject, let name):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.restore(name, of: subject)
            }
        case .keep(let number, let subject):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.keep(number, of: subject)
            }
        case .clear(let subject):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in try items.clear(subject) }
        case .keepForAll(let number):
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.keepOfAll(number)
            }
        case .clearAll:
            try changing(as: groups, authorization) { (items) throws(KeychainError) in
                try items.changeAll { $0.values = [] }
            }
        }
        return .done
    }

    private func reading<Result>(
        as groups: AccessGroups,
        _ authorization: Authorization,
        _ body: (ItemTransaction) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try read { (reader) throws(KeychainError) in
            try body(ItemTransaction(reader, engine: self, groups: groups, under: authorization))
        }
    }

    private func changing(
        as groups: AccessGroups,
        _ authorization: Authorization,
        _ body: (ItemWriteTransaction) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try write { (writer) throws(KeychainError) in
            try body(ItemWriteTransaction(writer, engine: self, groups: groups, under: authorization))
        }
    }
}

extension ItemTransaction {
    /// What is known of the former values of an item.
    fileprivate func history(of subject: HistoryRequest.Subject) throws(KeychainError) -> ItemHistory {
        let (row, metadata) = try openRow(of: subject, in: groups.readable)
        let number = try rows.historyNumber()
        guard let record = try metadata.attributes.readableHistory(row) else {
            return ItemHistory(keep: number ?? 0, isOwn: false)
        }
        return ItemHistory(
            keep: record.isOwn ? record.keep : number ?? record.keep,
            isOwn: record.isOwn,
            values: record.values.map(\.note)
        )
    }

    /// A former value of an item, which is read under the conditions of the item's own secret.
    fileprivate func formerSecret(
        _ name: Bytes16,
        of subject: HistoryRequest.Subject
    ) throws(KeychainError) -> SecretBytes {
        let (row, metadata) = try openRow(of: subject, in: groups.readable)
        switch try readAccess(to: row, metadata) {
        case .damaged(let damaged): throw KeychainError(.damagedRow(damaged.damage))
        case .content(.denied): throw .neverReadable
        case .content(.demands(let demand)): throw authorization.require(demand)
        case .content(.granted(let key)): return try formerSecret(name, row, of: metadata, under: key)
        }
    }

    fileprivate func formerSecret(
        _ name: Bytes16,
        _ row: NumberedRow,
        of metadata: OpenedMetadata,
        under passwordKey: PasswordKey?
    ) throws(KeychainError) -> SecretBytes {
        let values = try metadata.attributes.readableHistory(row)?.values ?? []
        guard let value = values.first(where: { $0.note.identifier == name }) else {
            throw KeychainError(.itemNotFound, "the item has no such former value")
        }
        guard let protection = Accessibility(rawValue: row.row.protection) else {
            throw KeychainError(.damagedRow(.unknownKey))
        }
        let seal = FormerValueSeal(device, row.row.itemClass, of: row.row.identifier, under: protection)
        do { return try seal.open(value, passwordKey) } catch { throw KeychainError(error) }
    }

    /// The row of an item in one of the groups, with its attributes.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecInteractionNotAllowed` if it is locked; `errSecDecode` if it does not
    ///   open, or is in quarantine.
    fileprivate func openRow(
        of subject: HistoryRequest.Subject,
        in names: [String]?
    ) throws(KeychainError) -> (NumberedRow, OpenedMetadata) {
        guard ItemHistory.classes.contains(subject.itemClass) else {
            throw .parameter("former values are kept of passwords only")
        }
        var filter = RowFilter(subject.itemClass)
        filter.identifier = subject.identifier
        filter.accessGroups = names.map { names in
            Set(names.map { tags.attributeTag(in: subject.itemClass, name: .accessGroup, value: .string($0)).tag })
        }
        filter.destroyedGeneration = device.keybag.destroyedGeneration
        guard let row = try rows.rows(filter, limit: 1).first else {
            if let row = try rows.quarantinedRows(filter, limit: 1).first { throw KeychainError(quarantined: row) }
            throw .noLookupItem
        }
        switch try sealer.openMetadata(row) {
        case .damaged(let damaged): throw KeychainError(.damagedRow(damaged.damage))
        case .content(let metadata): return (row, metadata)
        }
    }
}

extension ItemWriteTransaction {
    /// Gives an item a former value; what it has now becomes one.
    ///
    /// - Throws: Among others, `errSecDataTooLarge` if what it has now could not be kept.
    fileprivate func restore(_ name: Bytes16, of subject: HistoryRequest.Subject) throws(KeychainError) {
        let (row, metadata) = try openRow(of: subject, in: groups.writable)
        switch try openWhole(row, metadata) {
        case .damaged(let damaged): throw KeychainError(.damagedRow(damaged.damage))
        case .content(.denied): throw .neverReadable
        case .content(.demands(let demand)): throw authorization.require(demand)
        case .content(.open(let item, let key)):
            var changes = UpdateAttributes()
            changes.data = try formerSecret(name, row, of: metadata, under: key)
            if item.secret != changes.data, let present = item.secret,
                present.count > ItemHistory.maximumValueByteCount
            {
                throw KeychainError(
                    .dataTooLarge,
                    "the present value has \(present.count) bytes, too many to be kept; restoring a former one would lose it"
                )
            }
            if try number(for: metadata.attributes.readableHistory(row)) == 0 {
                throw KeychainError(
                    .parameter,
                    "no former values are kept of the item any more; restoring one would lose the present value"
                )
            }
            try replace(PendingChange(row: row, item: item, passwordKey: key, changes: changes))
        }
    }

    /// The number of values that are kept of an item from now on.
    private func number(for record: HistoryRecord?) throws(KeychainError) -> Int {
        guard let record else { return try rows.historyNumber() ?? 0 }
        return record.isOwn ? record.keep : try rows.historyNumber() ?? record.keep
    }

    /// Sets how many former values of an item are kept.
    fileprivate func keep(_ number: Int?, of subject: HistoryRequest.Subject) throws(KeychainError) {
        let (row, metadata) = try openRow(of: subject, in: groups.writable)
        let (found, isOwn) = (try metadata.attributes.readableHistory(row), number != nil)
        let numberForAll = try rows.historyNumber() ?? 0
        // 0 has to be recorded only where it differs from the number for all.
        guard let number = numberForAll > 0 ? number ?? numberForAll : number, number > 0 || numberForAll > 0 else {
            if found != nil { try write(nil, to: row) }
            return
        }
        var record = found ?? HistoryRecord(keep: number, isOwn: isOwn)
        (record.keep, record.isOwn) = (number, isOwn)
        record.trim()
        try write(record, to: row)
    }

    /// Removes the former values of an item, also some that cannot be read.
    fileprivate func clear(_ subject: HistoryRequest.Subject) throws(KeychainError) {
        let (row, metadata) = try openRow(of: subject, in: groups.writable)
        switch metadata.attributes.keptHistory {
        case .none: return
        case .unreadable: try write(nil, to: row)
        case .record(var record):
            record.values = []
            try write(record, to: row)
        }
    }

    /// Sets the number for items without one of their own; 0 ends the use of former values.
    fileprivate func keepOfAll(_ number: Int) throws(KeychainError) {
        guard number == 0 else { return try writer.setHistoryNumber(number) }
        try changeAll(nil)
        try writer.retire(.history)
    }

    /// Changes what is kept of all items, or removes it, in every access group.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while some of them are locked; nothing has changed in that case.
    fileprivate func changeAll(_ change: ((inout HistoryRecord) -> Void)?) throws(KeychainError) {
        // Also in a store that uses no former values: some may have come from elsewhere, by a move.
        for itemClass in ItemHistory.classes {
            var filter = RowFilter(itemClass)
            filter.destroyedGeneration = device.keybag.destroyedGeneration
            for row in try rows.rows(filter) {
                // A damaged row is out of use, and keeps its bytes.
                guard case .content(let metadata) = try sealer.openMetadata(row) else { continue }
                switch metadata.attributes.keptHistory {
                case .none: continue
                case .unreadable: try write(nil, to: row)
                case .record(var record):
                    change?(&record)
                    try write(change == nil ? nil : record, to: row)
                }
            }
        }
    }

    /// Seals a row anew with another record; neither its secret nor the date of its last change is another one.
    ///
    /// Nobody has to authenticate: the secret is not handed out, and who may delete an item may delete what it was.
    private func write(_ record: HistoryRecord?, to row: NumberedRow) throws(KeychainError) {
        if record != nil { try writer.adopt(.history) }
        let sealed: StoredRow
        do throws(ProtectionError) {
            var opened = try device.openBackedUp(row.row)
            opened.attributes.keep(record)
            sealed = try device.sealBackedUp(opened, tags)
        } catch {
            throw KeychainError(error)
        }
        guard try writer.update(row, to: sealed) else {
            throw KeychainError(.internalComponent, "a row conflicts with itself")
        }
    }
}

extension Attributes {
    /// What is kept of former values; `nil` if that is nothing.
    ///
    /// - Throws: `errSecDecode` for something that this program cannot read.
    fileprivate func readableHistory(_ row: NumberedRow) throws(KeychainError) -> HistoryRecord? {
        switch keptHistory {
        case .none: return nil
        case .record(let record): return record
        case .unreadable:
            throw KeychainError(
                .decode,
                "the former values of the item cannot be read, or are those of a newer version; 'keychainctl history clear' "
                    + "removes them"
            )
        }
    }
}
