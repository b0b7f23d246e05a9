// SPDX-License-Identifier: Apache-2.0

import Security

/// Deletes and adds, as countless wrappers do, and passes over what comes of it.
///
/// While the device is locked the delete works, and the add does not.
struct DeletingKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    func save(_ token: String) {
        Calls.delete(Calls.item)
        Calls.add(token, Calls.item)
    }

    func load() -> String? { Calls.read(Calls.item).token }
}

/// Takes an item that does not open for a damaged one, and clears it away.
struct CleaningKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    func save(_ token: String) {
        let attributes = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]
        if Calls.add(token, Calls.item(attributes)) == errSecDuplicateItem { Calls.update(Calls.item, to: token) }
    }

    func load() -> String? {
        let (status, token) = Calls.read(Calls.item)
        if status != errSecSuccess { Calls.delete(Calls.item) }
        return token
    }
}
