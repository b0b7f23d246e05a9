// SPDX-License-Identifier: Apache-2.0

/// A snapshot of a stored item, as far as the store tells now, and how it stands to the terms of a search; never its
/// secret.
///
/// Of an item whose keys are locked there is its class, its level, and which terms it fails.
package struct ExplainedItem: Sendable, Hashable {
    /// The class; of a pair of certificate and key, ``ItemClass/identity``.
    package var itemClass: ItemClass

    /// The persistent reference, 20 bytes; of a pair that of the identity.
    package var persistentReference: [UInt8]

    /// The protection level, `kSecAttrAccessible`'s string; of a pair the key's.
    package var level: String

    /// Every attribute, dates and access control among them; `nil` when the item cannot be opened now.
    ///
    /// Of a pair those of the key, overridden by the certificate's, and with the key's group, synchronizability and
    /// level.
    package var attributes: Attributes?

    /// Whether there is a secret; `nil` when the item cannot be opened now.
    package var hasData: Bool?

    /// Whether the item could be opened, and else why not.
    package var condition: Condition

    /// What its access control demands before it may be read, as the context of the call stands.
    package var access: Access

    /// The access group; of an item that cannot be opened, the one of the client's list or of the query that it is in,
    /// and `nil` if it is in none of these.
    package var group: String?

    /// Whether the item is synchronizable.
    package var isSynchronizable: Bool?

    /// Whether the client may use the group.
    package var isInClientGroups: Bool

    /// The terms of the search that it fails, by index, in order.
    package var failed: [Int]

    /// The terms that are passed over because the class does not have the attribute, by index, in order.
    package var passedOver: [Int]

    /// The terms of which nobody can tell now, because only an open item can answer them, by index, in order.
    package var unknown: [Int]

    /// Of a pair the certificate and the key, in this order.
    package var halves: [ExplainedItem]

    /// Whether an item can be opened.
    package enum Condition: Sendable, Hashable {
        /// It can; whether its secret is damaged is seen by whoever reads it.
        case open
        /// The keys of its level are locked.
        case locked
        /// Its keys went with a passcode that was removed.
        case destroyed
        /// Its bytes are damaged; by the name of the damage. In a search it is set aside at the next read that meets
        /// it.
        case damaged(String)
        /// It was set aside because it is damaged; by the name of the damage.
        case quarantined(String)
    }

    /// What an access control demands.
    package enum Access: Sendable, Hashable {
        /// Nothing, or nothing any more.
        case granted
        /// Somebody has to authenticate, or to give the item's password; what stands in the way of being asked, if
        /// anything does.
        case demanded(obstacle: AuthenticationFailure?)
        /// Nobody may read it: it permits the use of a private key alone.
        case denied
        /// The item cannot be opened now, so that nobody knows.
        case unknown
    }

    /// Whether a read of it would succeed now without asking anybody.
    package var isReadableNow: Bool { condition == .open && access == .granted }

    /// The access control made from flags, if the item has one and is open.
    package var accessControl: AccessControl? {
        guard case .accessControl(let accessControl)? = attributes?[.accessControl] else { return nil }
        return accessControl
    }

    /// An item.
    package init(
        itemClass: ItemClass,
        persistentReference: [UInt8],
        level: String,
        attributes: Attributes? = nil,
        hasData: Bool? = nil,
        condition: Condition,
        access: Access = .unknown,
        group: String? = nil,
        isSynchronizable: Bool? = nil,
        isInClientGroups: Bool,
        failed: [Int] = [],
        passedOver: [Int] = [],
        unknown: [Int] = [],
        halves: [ExplainedItem] = []
    ) {
        self.itemClass = itemClass
        self.persistentReference = persistentReference
        self.level = level
        self.attributes = attributes
        self.hasData = hasData
        self.condition = condition
        self.access = access
        self.group = group
        self.isSynchronizable = isSynchronizable
        self.isInClientGroups = isInClientGroups
        self.failed = failed
        self.passedOver = passedOver
        self.unknown = unknown
        self.halves = halves
    }
}
