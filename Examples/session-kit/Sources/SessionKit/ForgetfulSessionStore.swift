// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// A session store as it is often written, **with the bug** that this example is about; do not use it.
///
/// On an unlocked phone it does everything right. On a locked one
/// - ``load()`` says that there is no session (1), because the item is for unlocked phones only (2), and
/// - ``save(_:)`` deletes the session and cannot add the new one (3): deleting needs no key, adding does.
public struct ForgetfulSessionStore: SessionStore {
    private let account = "session"

    /// A store.
    public init() {}

    /// Reads the session; says `nil` for whatever goes wrong.
    public func load() throws -> Session? {
        var query = item
        query[kSecReturnData as String] = true
        var result: CFTypeRef?
        // (1) Every failure is taken for absence.
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess, let data = result as? Data else {
            return nil
        }
        return try? JSONDecoder().decode(Session.self, from: data)
    }

    /// Deletes the session before, and adds the new one.
    public func save(_ session: Session) throws {
        var attributes = item
        // (2) Nothing says when the item may be read, so it is kSecAttrAccessibleWhenUnlocked.
        attributes[kSecValueData as String] = try JSONEncoder().encode(session)
        // (3) Between the two calls there is no session, and after a failure of the second there is none for ever.
        SecItemDelete(item as CFDictionary)
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else { throw SessionStoreError(status: status) }
    }

    /// Deletes the session, and does not look whether that succeeded.
    public func remove() throws { SecItemDelete(item as CFDictionary) }

    private var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "com.example.session-kit",
            kSecAttrAccount as String: account,
        ]
    }
}
