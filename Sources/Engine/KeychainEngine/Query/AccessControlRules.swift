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

    /// Binds an access control that requires the current biometric set to the currently enrolled one.
    mutating func bindAccessControl(to enrolledSet: @autoclosure () -> Bytes16?) {
        guard var accessControl, let required = accessControl.constraints?.required else { return }
        accessControl.enrolledSet = required.contains(.biometryCurrentSet) ? enrolledSet() : nil
        self[.accessControl] = .accessControl(accessControl)
    }
}
