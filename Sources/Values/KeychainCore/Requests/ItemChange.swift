// SPDX-License-Identifier: Apache-2.0

/// An item that was added, changed or removed, whoever did it.
package struct ItemChange: Sendable, Hashable {
    /// What happened to it.
    package var kind: Kind
    /// Which item.
    package var identifier: ItemIdentifier
    /// Its class, and its access group; the former one, if it was removed.
    ///
    /// The group of a removed item that was not opened may be unknown, and is ``Client/everyGroup`` then.
    package var items: ChangedItems

    /// What happened to an item.
    package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// It is new for those who see the access group.
        case added
        /// Its secret or an attribute was changed.
        case changed
        /// It is gone for those who see the access group.
        case removed
    }

    /// A change.
    package init(_ kind: Kind, _ identifier: ItemIdentifier, of items: ChangedItems) {
        self.kind = kind
        self.identifier = identifier
        self.items = items
    }
}

/// A notice of changes of items, for a front that announces them: those of every program, the front's own included.
package enum ItemChangeNotice: Sendable, Hashable {
    /// These items, in the order of the changes.
    case changes([ItemChange])
    /// Anything may have changed: the front lists its items again.
    case unknown

    /// The maximum number of changes; a larger notice becomes ``unknown``.
    package static let maximumChanges = 1_024

    /// A notice of changes, bounded.
    package init(_ changes: [ItemChange]) {
        self = changes.count > Self.maximumChanges ? .unknown : .changes(changes)
    }

    /// Appends a later notice to this one.
    package mutating func append(_ later: ItemChangeNotice) {
        guard case .changes(let changes) = self, case .changes(let others) = later else {
            self = .unknown
            return
        }
        self = ItemChangeNotice(changes + others)
    }
}
