// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The outcome of a repair, as text and as JSON.
enum RepairText {
    /// What is asked before a new store takes the place of the damaged one.
    static func question(_ outcome: StoreRepair.Outcome) -> String {
        (found(outcome) + ["The damaged keychain is kept beside the new one. Go on?"]).joined(separator: "\n")
    }

    static func plain(_ outcome: StoreRepair.Outcome, dryRun: Bool) -> String {
        if let obstacle = outcome.before.obstacle { return "not readable: \(obstacle)" }
        guard outcome.isNeeded else { return "nothing to repair: \(Count.text(outcome.rows, "item"))" }
        if dryRun { return (found(outcome) + ["nothing was changed"]).joined(separator: "\n") }
        guard outcome.isDone else {
            return "nothing was changed; without a terminal, --yes takes the place of an answer"
        }
        return (found(outcome) + done(outcome)).joined(separator: "\n")
    }

    private static func found(_ outcome: StoreRepair.Outcome) -> [String] {
        var lines = DamageText.findings(outcome.before) + DamageText.items(outcome.before)
        lines.append(
            "\(Count.text(outcome.rows, "item")) in the new keychain, of which \(outcome.returnedRows) had been set aside or "
                + "damaged; \(Count.text(outcome.lostItems.count, "item")) cannot be had back"
        )
        if outcome.setAsideRows > 0 {
            lines.append(
                "\(Count.text(outcome.setAsideRows, "item")) set aside, because another one has the same primary key"
            )
        }
        if outcome.before.lockedRows > 0 {
            lines.append(
                "\(Count.text(outcome.before.lockedRows, "item")) behind the passcode taken as found: "
                    + "'keychainctl check --unlock' looks at them"
            )
        }
        return lines
    }

    private static func done(_ outcome: StoreRepair.Outcome) -> [String] {
        let folder = outcome.before.folder
        guard let file = outcome.kept.first else { return ["repaired"] }
        let back = outcome.kept.map { name in
            "    mv \(folder)/\(name) \(folder)/\(name == file ? "keychain.db" : "keychain.db-wal")"
        }
        var lines = ["repaired; the damaged keychain is kept, remove it when nothing is missing:"]
        lines += outcome.kept.map { "    \(folder)/\($0)" }
        lines.append("to go back, while no program uses the keychain:")
        lines.append("    rm -f \(folder)/keychain.db-wal \(folder)/keychain.db-shm")
        return lines + back
    }

    static func json(_ outcome: StoreRepair.Outcome, _ folder: String) throws -> String {
        try DamageForm.encoded(
            Form(
                before: DamageForm(outcome.before),
                isDone: outcome.isDone,
                isNeeded: outcome.isNeeded,
                rows: outcome.rows,
                returnedRows: outcome.returnedRows,
                setAsideRows: outcome.setAsideRows,
                kept: outcome.kept.map { "\(folder)/\($0)" }
            )
        )
    }

    private struct Form: Encodable {
        let before: DamageForm
        let isDone: Bool
        let isNeeded: Bool
        let rows: Int
        let returnedRows: Int
        let setAsideRows: Int
        let kept: [String]
    }
}
