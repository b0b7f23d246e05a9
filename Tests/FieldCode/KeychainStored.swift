// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// A property whose value lives in the keychain; `nil` removes it.
@propertyWrapper
struct KeychainStored {
    private let account: String
    private let service: String
    private let accessible: CFString

    init(
        _ account: String,
        service: String = "com.example.fieldcode.settings",
        accessible: CFString = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    ) {
        self.account = account
        self.service = service
        self.accessible = accessible
    }

    var wrappedValue: String? {
        get {
            var query = itemQuery
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data else {
                return nil
            }
            return String(decoding: data, as: UTF8.self)
        }
        nonmutating set {
            guard let newValue else {
                SecItemDelete(itemQuery as CFDictionary)
                return
            }
            let changes: [CFString: Any] = [kSecValueData: Data(newValue.utf8)]
            let status = SecItemUpdate(itemQuery as CFDictionary, changes as CFDictionary)
            if status == errSecItemNotFound {
                var item = itemQuery.merging(changes) { _, new in new }
                item[kSecAttrAccessible] = accessible
                SecItemAdd(item as CFDictionary, nil)
            }
        }
    }

    var projectedValue: KeychainStored { self }

    /// Whether there is an item, whatever its value.
    var exists: Bool { SecItemCopyMatching(itemQuery as CFDictionary, nil) == errSecSuccess }

    private var itemQuery: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecUseDataProtectionKeychain: true,
        ]
    }
}

/// The session of an app, as its view models see it.
struct StoredSession {
    @KeychainStored("token") var token: String?
    @KeychainStored var refreshToken: String?

    init(service: String) {
        _token = KeychainStored("token", service: service)
        _refreshToken = KeychainStored(
            "refresh-token",
            service: service,
            accessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        )
    }

    func signOut() {
        token = nil
        refreshToken = nil
    }
}
