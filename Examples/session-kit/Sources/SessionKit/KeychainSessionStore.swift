// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// The session store, with the bug of ``ForgetfulSessionStore`` fixed.
public struct KeychainSessionStore: SessionStore {
    private let account = "session"

    /// A store.
    public init() {}

    /// Reads the session; says `nil` only for `errSecItemNotFound`.
    public func load() throws -> Session? {
        var query = item
        query[kSecReturnData as String] = true
        query[kSecReturnAttributes as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        // (1) Only this is absence.
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let found = result as? [String: Any], let data = found[kSecValueData as String] as? Data,
            let session = try? JSONDecoder().decode(Session.self, from: data)
        else { throw SessionStoreError(status: errSecDecode) }
        carryOver(found)
        return session
    }

    /// Updates the item, or adds it if there is none.
    public func save(_ session: Session) throws {
        let attributes: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(session),
            // (2) A refresh in the background reads it while the phone is locked. In an update, too: an item keeps its
            // own.
            kSecAttrAccessible as String: accessible,
        ]
        // (3) An update is one step: the old session or the new one is there at any time.
        var status = SecItemUpdate(item as CFDictionary, attributes as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(item.merging(attributes) { $1 } as CFDictionary, nil)
        }
        try check(status)
    }

    /// Deletes the session.
    public func remove() throws {
        let status = SecItemDelete(item as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    /// Carries over an item that an earlier version stored for unlocked phones only: at the first read that succeeds,
    /// in place.
    ///
    /// A failure is none of the reader's: the session was read, and the next read tries again.
    private func carryOver(_ found: [String: Any]) {
        guard found[kSecAttrAccessible as String] as? String != accessible as String else { return }
        // keychain-lint:disable:next ignored-osstatus — the session was read, and the next read tries again
        SecItemUpdate(item as CFDictionary, [kSecAttrAccessible as String: accessible] as CFDictionary)
    }

    private var accessible: CFString { kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly }

    private var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "com.example.session-kit",
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw SessionStoreError(status: status) }
    }
}
