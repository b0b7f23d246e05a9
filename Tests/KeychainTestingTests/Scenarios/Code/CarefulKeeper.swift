// SPDX-License-Identifier: Apache-2.0

import Security

/// The right code, for every scenario.
struct CarefulKeeper: TokenKeeper {
    let settings: UserDefaults
    var protection: [String: Any] = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]

    struct Failure: Error { let status: OSStatus }

    init(settings: UserDefaults) {
        self.settings = settings
        // The settings go with the app, the item does not.
        if !settings.bool(forKey: "was launched") {
            let status = Calls.delete(Calls.item)
            settings.set(status == errSecSuccess || status == errSecItemNotFound, forKey: "was launched")
        }
    }

    init(settings: UserDefaults, protection: [String: Any]) {
        self.init(settings: settings)
        self.protection = protection
    }

    func save(_ token: String) throws {
        // By the key alone, in whatever group the app may use now.
        var status = Calls.update(Calls.item, to: token)
        // Shut for good: the user signs in again, and so has nothing to lose by the old item.
        if status == errSecAuthFailed {
            status = Calls.delete(Calls.item) == errSecSuccess ? errSecItemNotFound : status
        }
        if status == errSecItemNotFound { status = Calls.add(token, Calls.item(protection)) }
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    func load() throws -> String? {
        let (status, token) = Calls.read(Calls.item)
        switch status {
        case errSecSuccess: return token
        case errSecItemNotFound, errSecAuthFailed: return nil
        default: throw Failure(status: status)
        }
    }
}
