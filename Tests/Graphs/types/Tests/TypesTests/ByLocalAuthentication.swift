// SPDX-License-Identifier: Apache-2.0

import LocalAuthentication

enum ByLocalAuthentication {
    static let types: [Any.Type] = [
        SecKey.self, SecCertificate.self, SecIdentity.self, SecAccessControl.self, SecKeyAlgorithm.self, CFString.self,
    ]

    /// Makes an access control, for another file to use.
    static func accessControl() -> SecAccessControl? {
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .privateKeyUsage, nil)
    }

    /// Adds an item that says which file added it.
    static func add(service: String, accessControl: SecAccessControl) -> OSStatus {
        SecItemAdd(
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "ByLocalAuthentication",
                kSecAttrAccessControl: accessControl, kSecValueData: Data("x".utf8),
            ] as CFDictionary,
            nil
        )
    }
}
