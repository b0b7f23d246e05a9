// SPDX-License-Identifier: Apache-2.0

public import PortableSecurity

/// `SecItemAdd` and the other item functions, as a subject of the contract.
public struct SecItemFunctions: SecItemContractSubject, ConcurrentContractSubject {
    /// The functions, for the app that calls them.
    public init() {}

    /// Calls `SecItemAdd`.
    public func add(_ attributes: [String: Any]) -> SecItemAnswer {
        SecItemAnswer { SecItemAdd(attributes as CFDictionary, $0) }
    }

    /// Calls `SecItemCopyMatching`.
    public func copyMatching(_ query: [String: Any]) -> SecItemAnswer {
        SecItemAnswer { SecItemCopyMatching(query as CFDictionary, $0) }
    }

    /// Calls `SecItemUpdate`.
    public func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus {
        SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }

    /// Calls `SecItemDelete`.
    public func delete(_ query: [String: Any]) -> OSStatus { SecItemDelete(query as CFDictionary) }
}
