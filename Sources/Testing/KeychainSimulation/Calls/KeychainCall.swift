// SPDX-License-Identifier: Apache-2.0

/// A call of an app on a device, as recorded in the device's log.
///
/// It contains no secrets. Attributes such as account, service and group are kept as given; for data of any kind,
/// `kSecValueData` and contexts, only the size or the type.
public struct KeychainCall: Sendable, Hashable {
    /// Which call on the device it was, from 1.
    public let number: Int

    /// The application identifier of the app that made it.
    public let app: String

    /// The operation.
    public let operation: Operation

    /// The dictionary of the call, by the strings of its keys, such as `kSecAttrAccount as String`; for an update, its
    /// query.
    public let query: [String: String]

    /// The new attributes of an update, in the same form; else empty.
    public let attributes: [String: String]

    /// The returned `OSStatus`; `nil` while the call is in progress.
    public internal(set) var status: Int32?

    /// Why it failed, without values; `nil` for success.
    public internal(set) var reason: String?

    /// Whether a fault of ``VirtualDevice/faults`` made it fail.
    public internal(set) var isInjected = false

    /// The operations of a keychain.
    public enum Operation: String, Sendable, Hashable, CaseIterable {
        /// `SecItemAdd`
        case add = "SecItemAdd"
        /// `SecItemCopyMatching`
        case copyMatching = "SecItemCopyMatching"
        /// `SecItemUpdate`
        case update = "SecItemUpdate"
        /// `SecItemDelete`
        case delete = "SecItemDelete"
        /// `SecItemUpdate`, and `SecItemAdd` if nothing matches, as one change: `set` of the module `Keychain`.
        case set = "SecItemUpdate or SecItemAdd"
        /// A key is made in the Secure Enclave.
        case makeEnclaveKey = "make a key of the enclave"
        /// A key of the Secure Enclave is used.
        case useEnclaveKey = "use a key of the enclave"
    }
}

extension KeychainCall {
    /// The class of the items (`kSecClass`), such as `kSecClassGenericPassword as String`.
    public var itemClass: String? { query["class"] }

    /// The account (`kSecAttrAccount`).
    public var account: String? { query["acct"] }

    /// The service (`kSecAttrService`).
    public var service: String? { query["svce"] }

    /// The server (`kSecAttrServer`).
    public var server: String? { query["srvr"] }

    /// The access group (`kSecAttrAccessGroup`), when the caller names it.
    public var accessGroup: String? { query["agrp"] }
}
