// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// An item in the open: to be stored, or read from a row.
struct Item: Sendable {
    let itemClass: ItemClass
    var identifier: ItemIdentifier

    /// Every attribute that is stored.
    var attributes: Attributes

    /// The secret; `nil` if the item has none, or if it was not requested.
    var secret: SecretBytes?

    /// The protection class of the attributes, or else the default of the item class.
    var protection: Accessibility {
        AccessControlRules.protection(attributes) ?? ItemSchema.of(itemClass).defaultAccessibility
    }

    /// Whether it only remembers a deletion.
    var isTombstone: Bool { attributes[.tombstone]?.isTrue ?? false }
}

extension Attributes {
    /// The access control that was created from flags; `nil` for plain accessibility.
    var accessControl: AccessControl? {
        guard case .accessControl(let accessControl)? = self[.accessControl] else { return nil }
        return accessControl
    }

    /// The protection class that is stored.
    var accessibility: Accessibility? {
        guard case .string(let text)? = self[.accessible] else { return nil }
        return Accessibility(rawValue: text)
    }

    /// When the item was changed last.
    var modificationDate: Timestamp? {
        guard case .date(let date)? = self[.modificationDate] else { return nil }
        return date
    }

    /// Binds an access control that requires the current biometric set to the currently enrolled one.
    mutating func bindAccessControl(to enrolledSet: @autoclosure () -> Bytes16?) {
        guard var accessControl, let required = accessControl.constraints?.required else { return }
        accessControl.enrolledSet = required.contains(.biometryCurrentSet) ? enrolledSet() : nil
        self[.accessControl] = .accessControl(accessControl)
    }
}
