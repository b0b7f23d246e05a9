// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Keeps what a change of an item replaces (Documentation/Format.md, "Former values").
extension ItemWriteTransaction {
    /// Adds the secret that a change replaces to the former values of its item, if these are kept, and seals all of
    /// them as the item is from now on.
    ///
    /// It costs nothing in a store that keeps no former values.
    ///
    /// - Parameters:
    ///   - change: the change, with the item as it was.
    ///   - updated: the item as it will be.
    ///   - passwordKey: the key of its application password from now on, if it has one.
    /// - Throws: ``KeychainError`` of the store, or if the values cannot be sealed.
    func keepFormerValue(
        of change: PendingChange,
        in updated: inout Item,
        _ passwordKey: PasswordKey?
    ) throws(KeychainError) {
        let item = change.item
        guard authorization.rehearsedRows == nil, !device.isOfKeychainFile,
            ItemHistory.classes.contains(item.itemClass)
        else { return }
        let kept = item.attributes.keptHistory
        if kept == .none, try !rows.keepsFormerValues() { return }
        let number = try rows.historyNumber()
        var record: HistoryRecord
        switch kept {
        case .none:
            guard let number, number > 0, item.secret != nil, updated.secret != item.secret else { return }
            record = HistoryRecord(keep: number, isOwn: false)
        // Whatever it is, it stays: nothing is added that could take its place.
        case .unreadable: return
        case .record(let found):
            record = found
            // It may have come from elsewhere, by a move or a repair.
            try writer.adopt(.history)
        }
        if !record.isOwn, let number { record.keep = number }
        let formerKey = item.requiresApplicationPassword ? change.passwordKey : nil
        let seal = FormerValueSeal(device, updated.itemClass, of: updated.identifier, under: updated.protection)
        if item.protection != updated.protection || formerKey?.header != passwordKey?.header {
            let formerSeal = FormerValueSeal(device, item.itemClass, of: item.identifier, under: item.protection)
            try record.reseal(from: (formerSeal, formerKey), to: (seal, passwordKey))
        }
        if let former = item.secret, updated.secret != former, former.count <= ItemHistory.maximumValueByteCount {
            // The client of everything has the common group as its default, as every program without one of its own.
            let note = FormerValue(
                random.bytes16(),
                replaced: clock.now,
                group: groups.default ?? "",
                byteCount: former.count
            )
            try record.add(former, note, under: (seal, passwordKey))
        }
        record.trim()
        updated.attributes.keep(record)
    }
}

extension HistoryRecord {
    /// How values are sealed: for an item with its protection class, and with the key of its application password, if
    /// it has one.
    typealias Seal = (values: FormerValueSeal, passwordKey: PasswordKey?)

    /// Adds a value that was replaced.
    mutating func add(_ value: SecretBytes, _ note: FormerValue, under seal: Seal) throws(KeychainError) {
        do throws(ProtectionError) {
            let sealed = try seal.values.seal(value, as: note.identifier, seal.passwordKey)
            values.insert(Value(note, isUnderPassword: seal.passwordKey != nil, sealed: sealed), at: 0)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Seals the values for another protection class or application password; one that does not open stays as it is.
    mutating func reseal(from former: Seal, to next: Seal) throws(KeychainError) {
        for (index, value) in values.enumerated() {
            do throws(ProtectionError) {
                let opened = try former.values.open(value, former.passwordKey)
                let sealed = try next.values.seal(opened, as: value.note.identifier, next.passwordKey)
                values[index] = Value(value.note, isUnderPassword: next.passwordKey != nil, sealed: sealed)
            } catch .damagedRow {
                continue
            } catch {
                throw KeychainError(error)
            }
        }
    }
}

extension Item {
    /// Whether its secret is under an application password as well.
    fileprivate var requiresApplicationPassword: Bool {
        attributes.accessControl?.constraints?.requiresApplicationPassword ?? false
    }
}
