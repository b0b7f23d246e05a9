// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// Wants a passcode, and does not look whether there is one.
struct PasscodeKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    func save(_ token: String) {
        let attributes = [kSecAttrAccessible as String: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        if Calls.add(token, Calls.item(attributes)) == errSecDuplicateItem { Calls.update(Calls.item, to: token) }
    }

    func load() -> String? { Calls.read(Calls.item).token }
}

/// Adds, and updates what is there already, though nobody can open it any more.
struct BiometricKeeper: TokenKeeper {
    init(settings: UserDefaults) {}

    func save(_ token: String) {
        let attributes = Scenario.Protection.biometryCurrentSet.attributes
        if Calls.add(token, Calls.item(attributes)) == errSecDuplicateItem { Calls.update(Calls.item, to: token) }
    }

    func load() -> String? { Calls.read(Calls.item).token }
}
