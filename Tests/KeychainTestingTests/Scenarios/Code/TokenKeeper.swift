// SPDX-License-Identifier: Apache-2.0

import Security

/// What the code under test does, be it right or wrong: it keeps one token.
protocol TokenKeeper {
    /// The keeper as a launch of the app makes it.
    init(settings: UserDefaults)

    /// Keeps a token in the place of the old one; throws when it is not kept.
    func save(_ token: String) throws

    /// The token; `nil` when nobody is signed in. Throws when that cannot be said now.
    func load() throws -> String?

    /// Whether somebody is signed in, as the app's first screen asks.
    var isSignedIn: Bool { get throws }
}

extension TokenKeeper {
    var isSignedIn: Bool { get throws { try load() != nil } }
}

/// What the keepers of the tests call the keychain with.
enum Calls {
    static var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "login",
            kSecAttrAccount as String: "token",
        ]
    }

    static func item(_ more: [String: Any]) -> [String: Any] { item.merging(more) { _, new in new } }

    static func read(_ query: [String: Any]) -> (status: OSStatus, token: String?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(
            query.merging([kSecReturnData as String: true]) { _, new in new } as CFDictionary,
            &result
        )
        return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
    }

    @discardableResult
    static func add(_ token: String, _ attributes: [String: Any]) -> OSStatus {
        let value = [kSecValueData as String: Data(token.utf8)]
        return SecItemAdd(attributes.merging(value) { _, new in new } as CFDictionary, nil)
    }

    @discardableResult
    static func update(_ query: [String: Any], to token: String) -> OSStatus {
        SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data(token.utf8)] as CFDictionary)
    }

    @discardableResult
    static func delete(_ query: [String: Any]) -> OSStatus { SecItemDelete(query as CFDictionary) }
}
