// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication
import Security

/// A secret that opens for the face or finger that was enrolled when it was stored, and for nothing else.
///
/// No answer of `LAContext` decides anything: without the owner, the keychain does not give the secret out.
public struct PaymentKey: Sendable {
    /// A store of the key.
    public init() {}

    /// Keeps a key in place of the one before.
    ///
    /// - Throws: ``SessionStoreError``, also for a device without a passcode, which keeps no such item.
    public func save(_ key: Data) throws {
        var failure: Unmanaged<CFError>?
        guard
            let access = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                .biometryCurrentSet,
                &failure
            )
        else { throw SessionStoreError(status: errSecParam) }
        // An item keeps its access control in an update, and nobody should have to show a face to replace it.
        try remove()
        let addition = item.merging([kSecValueData as String: key, kSecAttrAccessControl as String: access]) { $1 }
        let status = SecItemAdd(addition as CFDictionary, nil)
        guard status == errSecSuccess else { throw SessionStoreError(status: status) }
    }

    /// Reads the key, for which the owner is asked.
    ///
    /// - Parameter context: one that may be prepared, or that may not ask.
    /// - Returns: `nil` if there is none: also after another face was enrolled, or the passcode was removed.
    /// - Throws: ``SessionStoreError``
    public func load(_ context: LAContext = LAContext()) throws -> Data? {
        let query = item.merging([
            kSecReturnData as String: true, kSecUseAuthenticationContext as String: context,
        ]) { $1 }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw SessionStoreError(status: status) }
        return result as? Data
    }

    /// Forgets the key.
    ///
    /// - Throws: ``SessionStoreError``
    public func remove() throws {
        let status = SecItemDelete(item as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw SessionStoreError(status: status) }
    }

    private var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "com.example.session-kit.payment",
            kSecAttrAccount as String: "key",
        ]
    }
}
