// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item on its way into the store.
package struct SealableItem: Sendable {
    /// The class.
    package var itemClass: ItemClass
    /// The identifier, which updates preserve.
    package var identifier: ItemIdentifier
    /// The protection class.
    package var protection: Accessibility
    /// Every attribute, the protection class and the tombstone flag among them.
    package var attributes: Attributes
    /// The secret; `nil` when the item has none, which is not the same as empty.
    package var secret: SecretBytes?
    /// Whether this only remembers a deletion.
    package var isTombstone: Bool

    /// An item.
    package init(
        itemClass: ItemClass,
        identifier: ItemIdentifier,
        protection: Accessibility,
        attributes: consuming Attributes,
        secret: SecretBytes?,
        isTombstone: Bool = false
    ) {
        self.itemClass = itemClass
        self.identifier = identifier
        self.protection = protection
        self.attributes = attributes
        self.secret = secret
        self.isTombstone = isTombstone
        self.attributes[.accessible] = .string(protection.rawValue)
        self.attributes[.tombstone] = .number(.integer(isTombstone ? 1 : 0))
    }
}

extension Attributes {
    /// Whether the item's key depends on an application password.
    var requireApplicationPassword: Bool {
        guard !areOfEnclaveKey, case .accessControl(let accessControl)? = self[.accessControl] else { return false }
        return accessControl.constraints?.requiresApplicationPassword ?? false
    }
}
