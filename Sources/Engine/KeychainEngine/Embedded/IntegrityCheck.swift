// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Checks the structure of the file and authenticates every row, attributes and secret, as far as its keys are
    /// available.
    ///
    /// It changes nothing. A secret under an application password is authenticated in its sealed form.
    ///
    /// - Complexity: Reads the whole store.
    package func check() throws(KeychainError) -> IntegrityReport {
        try withEngine(.observing) { (engine) throws(KeychainError) in try engine.check() }
    }
}

extension Engine {
    func check() throws(KeychainError) -> IntegrityReport {
        var report = IntegrityReport()
        report.structuralDefects = try store.structuralDefects()
        try read { (reader) throws(KeychainError) in
            report.keysAreLocked = device.keybag.keysAreLocked
            let sealer = ItemSealer(device)
            var otherwiseListed = 0
            for itemClass in ItemClass.stored {
                try reader.forEachRow(of: itemClass) { (row) throws(KeychainError) in
                    try judge(row, with: sealer, into: &report)
                    switch try lookupDifference(of: row, in: reader, sealer) {
                    case .none, .locked: break
                    case .listing, .columns: otherwiseListed += 1
                    }
                }
            }
            otherwiseListed += try reader.missingListedCount()
            if otherwiseListed > 0 {
                report.structuralDefects.append(
                    "what is listed of the lookup attributes of \(otherwiseListed) items is not what they have; "
                        + "recover() lists them again"
                )
            }
        }
        return report
    }

    private func judge(
        _ row: NumberedRow,
        with sealer: ItemSealer,
        into report: inout IntegrityReport
    ) throws(KeychainError) {
        let damage: RowDamage?
        switch try sealer.condition(of: row) {
        // A part that was too large is gone since, so that the reason can only be remembered.
        case .damaged(let found): damage = row.damage == RowDamage.oversized.rawValue ? .oversized : found
        case .intact where row.damage == nil:
            report.intactRows += 1
            return
        case .locked where row.damage == nil:
            report.lockedRows += 1
            return
        case .destroyed:
            report.destroyedRows += 1
            return
        case .intact, .locked: damage = nil
        }
        report.damagedRows.append(
            .init(
                itemClass: row.row.itemClass,
                persistentReference: row.row.identifier.persistentReference(of: row.row.itemClass).unprotectedCopy,
                damage: damage.map { "\($0)" } ?? "none that could be seen now: recover() brings back what opens again",
                isQuarantined: row.damage != nil
            )
        )
    }
}
