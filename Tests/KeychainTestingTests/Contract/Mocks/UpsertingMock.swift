// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// The mock that is too helpful: the right key, but an add replaces, and an update adds.
final class UpsertingMock: SecItemContractSubject {
    private struct Key: Hashable {
        var itemClass: String
        var service: String
        var account: String
    }

    private var items: [Key: [String: Any]] = [:]

    func add(_ attributes: [String: Any]) -> SecItemAnswer {
        items[key(attributes)] = attributes
        return SecItemAnswer(errSecSuccess)
    }

    func copyMatching(_ query: [String: Any]) -> SecItemAnswer {
        guard let item = items[key(query)] else { return SecItemAnswer(errSecItemNotFound) }
        guard query[kSecReturnAttributes as String] as? Bool == true else {
            return SecItemAnswer(errSecSuccess, item[kSecValueData as String])
        }
        return SecItemAnswer(errSecSuccess, item as NSDictionary)
    }

    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus {
        items[key(query), default: query].merge(attributes) { _, new in new }
        return errSecSuccess
    }

    func delete(_ query: [String: Any]) -> OSStatus {
        items.removeValue(forKey: key(query)) == nil ? errSecItemNotFound : errSecSuccess
    }

    private func key(_ attributes: [String: Any]) -> Key {
        Key(
            itemClass: attributes[kSecClass as String] as? String ?? "",
            service: attributes[kSecAttrService as String] as? String ?? "",
            account: attributes[kSecAttrAccount as String] as? String ?? ""
        )
    }
}
