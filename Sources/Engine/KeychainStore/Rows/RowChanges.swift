// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What one transaction did to rows, for observers of items.
package struct RowChanges: Sendable {
    /// The changes, in their order.
    package private(set) var changes: [RowChange] = []

    /// Whether there were more than are recorded, or others than of single rows.
    package private(set) var areUnknown = false

    /// Whether nothing was changed.
    package var isEmpty: Bool { changes.isEmpty && !areUnknown }

    /// Records a change.
    mutating func record(_ kind: ItemChange.Kind, _ row: StoredRow) {
        guard !row.isTombstone, !areUnknown else { return }
        guard changes.count < ItemChangeNotice.maximumChanges else { return recordUnknown() }
        changes.append(
            RowChange(
                kind: kind,
                itemClass: row.itemClass,
                identifier: row.identifier,
                groupTag: row.groupTag,
                accessGroup: row.accessGroup
            )
        )
    }

    /// Records that anything may have changed.
    mutating func recordUnknown() { (changes, areUnknown) = ([], true) }

    /// Records that a row is another version of its item.
    mutating func record(_ old: StoredRow, to new: StoredRow) {
        if old.groupTag == new.groupTag, old.isTombstone == new.isTombstone {
            record(.changed, new)
        } else {
            record(.removed, old)
            record(.added, new)
        }
    }
}

/// A row that was added, changed or removed.
package struct RowChange: Sendable {
    /// What happened to it.
    package let kind: ItemChange.Kind
    /// Its class.
    package let itemClass: ItemClass
    /// Which item it is.
    package let identifier: ItemIdentifier
    /// The search tag of its access group.
    package let groupTag: SearchTag?
    /// The access group of a row that was written; that of a row that was read is not known here.
    package let accessGroup: String?
}
