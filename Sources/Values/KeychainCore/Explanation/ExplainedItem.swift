// SPDX-License-Identifier: Apache-2.0

/// A snapshot of a stored item, as far as it is currently readable, with the search terms that it meets; never its
/// secret.
///
/// An item whose keys are locked has only its class, its accessibility, and the terms that it fails.
package struct ExplainedItem: Sendable, Hashable {
    /// The class; of a pair of certificate and key, ``ItemClass/identity``.
    package var itemClass: ItemClass

    /// The persistent reference, 20 bytes; of a pair that of the identity.
    package var persistentReference: [UInt8]

    /// The protection level, `kSecAttrAccessible`'s string; of a pair the key's.
    package var level: String

    /// Every attribute, including dates and access control; `nil` if the item cannot be opened now.
    ///
    /// For a pair, those of the key, overridden by the certificate's, and with the key's group, synchronizability and
    /// accessibility.
    package var attributes: Attributes?

    /// Whether there is a secret; `nil` if the item cannot be opened now.
    package var hasData: Bool?

    /// Whether the item could be opened, and otherwise why not.
    package var condition: Condition

    /// What its access control requires for reading it, in the current state of the call's context.
    package var access: Access

    /// The access group.
    ///
    /// For an item that cannot be opened, it is the matching one of the client's list or of the query, and `nil` if
    /// there is none.
    package var group: String?

    /// Whether the item is synchronizable.
    package var isSynchronizable: Bool?

    /// Whether the client may use the group.
    package var isInClientGroups: Bool

    /// The terms of the search that it fails, by index, in order.
    package var failed: [Int]

    /// The terms that are passed over because the class does not have the attribute, by index, in order.
    package var passedOver: [Int]

    /// The indices of the terms whose result is currently unknown, because only an open item can provide it, in order.
    package var unknown: [Int]

    /// Of a pair the certificate and the key, in this order.
    package var halves: [ExplainedItem]

    /// Whether an item can be opened.
    package enum Condition: Sendable, Hashable {
        /// It can; whether its secret is damaged is unknown until it is read.
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

    /// The requirements of an access control.
    package enum Access: Sendable, Hashable {
        /// Nothing, or nothing any more.
        case granted
        /// Authentication or the item's password is required; with the obstacle to a prompt, if any.
        case demanded(obstacle: AuthenticationFailure?)
        /// Reading is never permitted: the access control permits only the use of a private key.
        case denied
        /// The item cannot be opened now, so that this is unknown.
        case unknown
    }

    /// Whether a read would succeed now without a prompt.
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
