// SPDX-License-Identifier: Apache-2.0

import Security

/// Keeps in the settings that somebody is signed in.
struct FlagKeeper: TokenKeeper {
    let settings: UserDefaults

    func save(_ token: String) {
        let attributes = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
        if Calls.add(token, Calls.item(attributes)) == errSecDuplicateItem { Calls.update(Calls.item, to: token) }
        settings.set(true, forKey: "isSignedIn")
    }

    func load() -> String? { Calls.read(Calls.item).token }

    var isSignedIn: Bool { settings.bool(forKey: "isSignedIn") }
}

/// Believes that what is in the keychain is of this installation.
struct TrustingKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    func save(_ token: String) {
        if Calls.add(token, Calls.item) == errSecDuplicateItem { Calls.update(Calls.item, to: token) }
    }

    func load() -> String? { Calls.read(Calls.item).token }
}
