// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// What a check of a store's files found.
package struct StoreReport: Sendable {
    /// The folder.
    package let folder: String
    /// What was found, in the order of the check.
    package var findings: [StoreFinding] = []
    /// Why the store cannot be read, so that nothing is known of its items; `nil` if it can.
    package var obstacle: String?
    /// How many rows open, tombstones among them.
    package var intactRows = 0
    /// How many rows could not be looked at, because their keys are locked.
    package var lockedRows = 0
    /// How many rows went with a passcode that was removed.
    package var destroyedRows = 0
    /// The rows that do not open, or are in quarantine.
    package var damagedItems: [DamagedItem] = []

    /// The result in a word.
    package enum Verdict: String, Sendable {
        /// Nothing is wrong.
        case sound
        /// Something is wrong with the store or its files.
        case damaged
        /// The store cannot be read.
        case unreadable
    }

    /// Creates a report without findings.
    package init(folder: String) { self.folder = folder }

    /// The result.
    package var verdict: Verdict {
        if obstacle != nil { return .unreadable }
        return findings.contains(where: \.isDamage) || !damagedItems.isEmpty ? .damaged : .sound
    }

    /// Adds what the process that has the items found.
    package mutating func add(_ report: IntegrityReport) {
        intactRows += report.intactRows
        lockedRows += report.lockedRows
        destroyedRows += report.destroyedRows
        for defect in report.structuralDefects { add(.structure, defect) }
        damagedItems += report.damagedRows.map { row in
            DamagedItem(
                itemClass: row.itemClass,
                reason: row.damage,
                isQuarantined: row.isQuarantined,
                fate: .lost,
                names: [:]
            )
        }
    }

    mutating func add(_ part: StoreFinding.Part, _ text: String, remedy: String? = nil, isDamage: Bool = true) {
        findings.append(StoreFinding(part: part, text: text, remedy: remedy, isDamage: isDamage))
    }
}

/// Something that a check found.
package struct StoreFinding: Sendable, Hashable {
    /// What it is about.
    package enum Part: String, Sendable {
        case folder, log, structure, keybag, device, rows, remains
    }

    /// What it is about.
    package let part: Part
    /// One sentence.
    package let text: String
    /// What to do; `nil` where nothing is to be done, or `repair` does it.
    package let remedy: String?
    /// Whether something is wrong.
    package let isDamage: Bool
}

/// A row that does not open, or that is in quarantine.
package struct DamagedItem: Sendable, Hashable {
    /// What becomes of it.
    package enum Fate: String, Sendable {
        /// It opens, so that nothing but its mark keeps it in quarantine.
        case opens
        /// Something in it is wrong that follows from the rest.
        case mendable
        /// Nobody knows before its keys are unlocked.
        case locked
        /// It is not the version of its item that stays.
        case earlier
        /// It cannot be had back from this store.
        case lost
    }

    /// The class.
    package let itemClass: ItemClass
    /// How it fails to open.
    package let reason: String
    /// Whether a call has met it and set it aside.
    package let isQuarantined: Bool
    /// What becomes of it.
    package let fate: Fate
    /// Those of its attributes by which it is named, if its attributes open.
    package let names: [AttributeName: String]
}

extension RowDamage {
    /// In a few words.
    var text: String {
        switch self {
        case .metadata: "its attributes do not authenticate"
        case .secret: "its secret does not authenticate"
        case .encoding: "its attributes are not a list of attributes"
        case .contradiction: "its search tags are not those of its attributes"
        case .unknownKey: "it names keys that there are not"
        case .oversized: "it is larger than an item can be"
        case .passwordWork: "its application password asks for less work than is allowed"
        case .padding: "its secret is not padded as it has to be"
        }
    }
}
