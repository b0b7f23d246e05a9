// SPDX-License-Identifier: Apache-2.0

/// An item that an add would store.
public struct ExplainedAddition: Sendable, Hashable {
    /// The class.
    public var itemClass: ItemClass
    /// Every attribute as it would be stored, defaults filled in; without the digest.
    public var attributes: Attributes
    /// Whether there is a secret.
    public var hasData: Bool
    /// The item that has its primary key already; `nil` for none, or for one that is not in scope.
    public var holder: ExplainedItem?

    /// An addition.
    public init(itemClass: ItemClass, attributes: Attributes, hasData: Bool, holder: ExplainedItem? = nil) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.hasData = hasData
        self.holder = holder
    }

    /// The primary key: the columns that make it up, in the order of the table, with the values that would be stored.
    public var primaryKey: [(name: AttributeName, value: AttributeValue?)] {
        ItemSchema.of(itemClass).primaryKey.map { ($0.name, attributes[$0.name]) }
    }
}

/// What an update would set.
public struct ExplainedUpdate: Sendable, Hashable {
    /// The attributes, converted; what is ignored is left out.
    public var attributes: Attributes
    /// Whether it sets the secret.
    public var setsData: Bool
    /// The keys that were given and are ignored, in alphabetical order.
    public var ignored: [String]

    /// New values.
    public init(attributes: Attributes, setsData: Bool, ignored: [String]) {
        self.attributes = attributes
        self.setsData = setsData
        self.ignored = ignored
    }
}

/// The items that an update would change, or a delete remove.
public struct ExplainedEffect: Sendable, Hashable {
    /// How many items; a pair of certificate and key counts as two.
    public var count: Int
    /// How many of each class.
    public var byClass: [ItemClass: Int]
    /// The items as they are now, in the order in which they would be touched, within the bound.
    public var items: [ExplainedItem]
    /// Of an update that moves an item onto a primary key which another one has: the item, and the holder of the key.
    public var conflicts: [Conflict]

    /// A primary key that is taken.
    public struct Conflict: Sendable, Hashable {
        /// The item that would get the key.
        public var item: ExplainedItem
        /// The item that has it.
        public var holder: ExplainedItem

        /// A conflict.
        public init(item: ExplainedItem, holder: ExplainedItem) {
            self.item = item
            self.holder = holder
        }
    }

    /// An effect.
    public init(
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
