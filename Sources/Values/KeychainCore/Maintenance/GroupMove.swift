// SPDX-License-Identifier: Apache-2.0

/// A move of all items of an access group to another one, such as those that a program stored under a former name.
package struct GroupMove: Sendable, Hashable {
    /// The group that the items are in.
    package var source: String
    /// The group that they are moved to.
    package var target: String
    /// Whether only what would be moved is found out.
    package var isRehearsal: Bool
    /// Whether the other items are moved if some cannot be; without it, none is.
    package var isPartial: Bool
    /// Who moves them.
    package var client: Client

    /// A move.
    package init(
        from source: String,
        to target: String,
        isRehearsal: Bool = false,
        isPartial: Bool = false,
        client: Client = .person
    ) {
        self.source = source
        self.target = target
        self.isRehearsal = isRehearsal
        self.isPartial = isPartial
        self.client = client
    }

    /// The same as the update of the items of a class.
    package func update(of itemClass: ItemClass) -> KeychainRequest {
        let group = AttributeName.accessGroup.description
        return KeychainRequest(
            .update(
                [
                    PropertyKey.itemClass: .string(itemClass.rawValue), group: .string(source),
                    AttributeName.synchronizable.description: .string(PropertyKey.synchronizableAny),
                ],
                attributes: [group: .string(target)]
            ),
            client: client
        )
    }
}

/// What a move of items between access groups did, or would do.
package struct GroupMoveReport: Sendable, Hashable {
    /// The items that were moved, or can be.
    package var moved: [Item]
    /// The items that stay.
    package var obstacles: [Obstacle]
    /// Whether the moved items are in the other group now: not after a rehearsal, nor if there were obstacles and the
    /// others were not to be moved alone.
    package var isDone: Bool

    /// An item, by what tells it from others.
    package struct Item: Sendable, Hashable {
        /// Its class.
        package var itemClass: ItemClass
        /// Its persistent reference.
        package var persistentReference: [UInt8]
        /// The text of the attributes that name it: service or server, and account, or its label; without secrets.
        package var name: String

        /// An item.
        package init(itemClass: ItemClass, persistentReference: [UInt8], name: String) {
            self.itemClass = itemClass
            self.persistentReference = persistentReference
            self.name = name
        }
    }

    /// An item that cannot be moved.
    package struct Obstacle: Sendable, Hashable {
        /// The item; one whose attributes do not open has no name.
        package var item: Item
        /// Why it stays.
        package var reason: Reason

        /// An obstacle.
        package init(_ item: Item, _ reason: Reason) {
            self.item = item
            self.reason = reason
        }
    }

    /// Why an item cannot be moved: it is read and stored again under its new group.
    package enum Reason: Sendable, Hashable {
        /// The other group has an item with the same primary key.
        case exists
        /// Its access control permits no reading.
        case neverReadable
        /// It does not open.
        case damaged
        /// What its access control requires cannot be shown.
        case unauthenticated(AuthenticationFailure)
    }

    /// A report.
    package init(moved: [Item] = [], obstacles: [Obstacle] = [], isDone: Bool = false) {
        self.moved = moved
        self.obstacles = obstacles
        self.isDone = isDone
    }
}
