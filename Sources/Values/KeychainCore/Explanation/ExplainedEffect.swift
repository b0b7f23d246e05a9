// SPDX-License-Identifier: Apache-2.0

/// An item that an add would store.
package struct ExplainedAddition: Sendable, Hashable {
    /// The class.
    package var itemClass: ItemClass
    /// Every attribute as it would be stored, defaults filled in; without the digest.
    package var attributes: Attributes
    /// Whether there is a secret.
    package var hasData: Bool
    /// The item that has its primary key already; `nil` for none, or for one that is not in scope.
    package var holder: ExplainedItem?

    /// An addition.
    package init(itemClass: ItemClass, attributes: Attributes, hasData: Bool, holder: ExplainedItem? = nil) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.hasData = hasData
        self.holder = holder
    }

    /// The primary key: the columns that make it up, in the order of the table, with the values that would be stored.
    package var primaryKey: [(name: AttributeName, value: AttributeValue?)] {
        ItemSchema.of(itemClass).primaryKey.map { ($0.name, attributes[$0.name]) }
    }
}

/// The changes of an update.
package struct ExplainedUpdate: Sendable, Hashable {
    /// The attributes, converted; what is ignored is left out.
    package var attributes: Attributes
    /// Whether it sets the secret.
    package var setsData: Bool
    /// The given keys that are ignored, in alphabetical order.
    package var ignored: [String]

    /// New values.
    package init(attributes: Attributes, setsData: Bool, ignored: [String]) {
        self.attributes = attributes
        self.setsData = setsData
        self.ignored = ignored
    }
}

/// The items that an update would change, or a delete remove.
package struct ExplainedEffect: Sendable, Hashable {
    /// How many items; a pair of certificate and key counts as two.
    package var count: Int
    /// How many of each class.
    package var byClass: [ItemClass: Int]
    /// The items as they are now, in the order in which they would be touched, within the bound.
    package var items: [ExplainedItem]
    /// Of an update that moves an item onto a primary key which another one has: the item, and the holder of the key.
    package var conflicts: [Conflict]

    /// A primary key that is in use.
    package struct Conflict: Sendable, Hashable {
        /// The item that would get the key.
        package var item: ExplainedItem
        /// The item that has it.
        package var holder: ExplainedItem

        /// A conflict.
        package init(item: ExplainedItem, holder: ExplainedItem) {
            self.item = item
            self.holder = holder
        }
    }

    /// An effect.
    package init(
        count: Int = 0,
        byClass: [ItemClass: Int] = [:],
        items: [ExplainedItem] = [],
        conflicts: [Conflict] = []
    ) {
        self.count = count
        self.byClass = byClass
        self.items = items
        self.conflicts = conflicts
    }
}
