// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableSecurity

#if !canImport(Darwin)
import KeychainCore
import KeychainServices
#endif

extension Protection {
    /// The attribute for the protection; `nil` for contradictory constraints.
    var attribute: (name: String, value: Any)? {
        guard isGuarded else { return (kSecAttrAccessible as String, accessibility.constant) }
        let control = SecAccessControlCreateWithFlags(nil, accessibility.constant, constraints, nil)
        return control.map { (kSecAttrAccessControl as String, $0) }
    }

    /// The protection in a result's attributes; `nil` if it cannot be determined.
    init?(attributes: [String: Any]) {
        guard let name = attributes[kSecAttrAccessible as String] as? String,
            let accessibility = Accessibility(constant: name)
        else { return nil }
        #if canImport(Darwin)
        // Apple has no way to read an access control, only to compare it. An item without an access control has one
        // without flags.
        guard let control = attributes[kSecAttrAccessControl as String] else { return nil }
        if Self.isControl(control as CFTypeRef, accessibility, of: []) {
            self.init(accessibility: accessibility, constraints: [], isGuarded: false)
            return
        }
        guard let constraints = Self.constraints(of: control as CFTypeRef, accessibility) else { return nil }
        self.init(accessibility: accessibility, constraints: constraints, isGuarded: true)
        #else
        let control = (attributes[kSecAttrAccessControl as String] as? SecAccessControl)?.value
        let flags = control?.constraints.map { SecAccessControlCreateFlags(rawValue: UInt($0.flags.rawValue)) }
        self.init(accessibility: accessibility, constraints: flags ?? [], isGuarded: flags != nil)
        #endif
    }

    #if canImport(Darwin)
    private static let usual: [SecAccessControlCreateFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword, .privateKeyUsage,
        [.privateKeyUsage, .userPresence], [.privateKeyUsage, .biometryAny], [.privateKeyUsage, .biometryCurrentSet],
        [.biometryAny, .or, .devicePasscode], [.biometryCurrentSet, .or, .devicePasscode],
    ]

    private static func constraints(
        of control: CFTypeRef,
        _ accessibility: Accessibility
    ) -> SecAccessControlCreateFlags? {
        usual.first { isControl(control, accessibility, of: $0) }
    }

    private static func isControl(
        _ control: CFTypeRef,
        _ accessibility: Accessibility,
        of flags: SecAccessControlCreateFlags
    ) -> Bool {
        let other = SecAccessControlCreateWithFlags(nil, accessibility.constant, flags, nil)
        return other.map { CFEqual($0, control) } ?? false
    }
    #endif
}
