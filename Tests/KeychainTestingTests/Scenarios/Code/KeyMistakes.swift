// SPDX-License-Identifier: Apache-2.0

import Security

/// Has kSecAttrGeneric in its query, as Apple's old sample code had it, and an add when nothing is found.
struct GenericKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    private var query: [String: Any] { Calls.item([kSecAttrGeneric as String: Data("token of version 2".utf8)]) }

    func save(_ token: String) {
        if Calls.read(query).status == errSecSuccess {
            Calls.update(query, to: token)
        } else {
            Calls.add(token, query)
        }
    }

    func load() -> String? { Calls.read(query).token }
}

/// Has its access group in a constant, with the team's prefix, and no word about -34018.
struct ConstantGroupKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    private var query: [String: Any] {
        Calls.item([kSecAttrAccessGroup as String: "TEAMID1234.com.example.shared"])
    }

    func save(_ token: String) {
        if Calls.add(token, query) == errSecDuplicateItem { Calls.update(query, to: token) }
    }

    func load() -> String? { Calls.read(query).token }
}
