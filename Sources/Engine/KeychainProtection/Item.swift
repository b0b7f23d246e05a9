// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item in the open: to be stored, or read from a row.
package struct Item: Sendable {
    /// The class.
    package let itemClass: ItemClass

    /// The identifier, which updates preserve.
    package var identifier: ItemIdentifier

    /// Every attribute that is stored.
    package var attributes: Attributes

    /// The secret; `nil` if the item has none, which is not the same as empty, or if it was not requested.
    package var secret: SecretBytes?

    /// An item.
    package init(
        itemClass: ItemClass,
        identifier: ItemIdentifier,
        attributes: consuming Attributes,
        secret: SecretBytes? = nil
    ) {
        self.itemClass = itemClass
        self.identifier = identifier
        self.attributes = attributes
        self.secret = secret
    }

    /// The protection class of the attributes, or else the default of the item class.
    package var protection: Accessibility {
        attributes.protection ?? ItemSchema.of(itemClass).defaultAccessibility
    }

    /// Whether it only remembers a deletion.
    package var isTombstone: Bool { attributes[.tombstone]?.isTrue ?? false }
}

extension Attributes {
    /// The protection class that the attributes name; `nil` if they name none.
    package var protection: Accessibility? {
        switch (self[.accessControl], self[.accessible]) {
        case (.accessControl(let accessControl)?, _): accessControl.protection
        case (_, .string(let text)?): Accessibility(rawValue: text)
        default: nil
        }
    }

    /// Whether the item's key depends on an application password.
    var requireApplicationPassword: Bool {
        guard !areOfEnclaveKey, case .accessControl(let accessControl)? = self[.accessControl] else { return false }
        return accessControl.constraints?.requiresApplicationPassword ?? false
    }
}
