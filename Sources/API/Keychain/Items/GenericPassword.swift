// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

/// A generic password: a secret that a service keeps for an account.
public struct GenericPassword: KeychainItem {
    /// The whole primary key.
    public let key: ItemKey

    /// Creates a generic password item.
    ///
    /// - Parameters:
    ///   - service: the service that uses the secret, such as `com.example.login`.
    ///   - account: the account; empty if the service has only one.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - isSynchronizable: whether it is in the set that iCloud Keychain synchronizes.
    public init(service: String, account: String = "", accessGroup: String? = nil, isSynchronizable: Bool = false) {
        let attributes: [String: ItemKey.Value] = [
            kSecAttrService as String: .text(service), kSecAttrAccount as String: .text(account),
        ]
        key = ItemKey(
            .genericPassword,
            attributes,
            accessGroup: accessGroup,
            isSynchronizable: isSynchronizable
        )
    }

    /// The password of a primary key; `nil` for a key of another class.
    public init?(key: ItemKey) {
        guard key.itemClass == .genericPassword else { return nil }
        self.key = key
    }

    /// The service that uses the secret.
    public var service: String { key.attributes[kSecAttrService as String]?.text ?? "" }

    /// Whose it is.
    public var account: String { key.attributes[kSecAttrAccount as String]?.text ?? "" }
}
