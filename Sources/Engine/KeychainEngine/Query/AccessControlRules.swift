// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The rules for accessibility and access control in one dictionary (Semantics, "Values and combinations" and "Changing
/// the protection of an item").
enum AccessControlRules {
    /// Plain accessibility counts as an access control without constraints, which never equals one made from flags.
    static func checkConflict(_ attributes: Attributes) throws(KeychainError) {
        guard case .accessControl(let accessControl)? = attributes[.accessControl],
            case .string(let text)? = attributes[.accessible]
        else { return }
        guard accessControl.constraints == nil, accessControl.protection.rawValue == text else {
            throw .parameter("kSecAttrAccessible and kSecAttrAccessControl are both given")
        }
    }

    /// The protection that attributes name; `nil` when they name none.
    static func protection(_ attributes: Attributes) -> Accessibility? {
        switch (attributes[.accessControl], attributes[.accessible]) {
        case (.accessControl(let accessControl)?, _): accessControl.protection
        case (_, .string(let text)?): Accessibility(rawValue: text)
        default: nil
        }
    }
}
