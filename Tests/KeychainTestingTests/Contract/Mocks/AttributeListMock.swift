// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// The mock of those who read the documentation halfway: items with all their attributes, which are the same item when
/// all attributes are the same.
final class AttributeListMock: SecItemContractSubject {
    private var items: [NSDictionary] = []

    func add(_ attributes: [String: Any]) -> SecItemAnswer {
        let item = attributes as NSDictionary
        guard !items.contains(item) else { return SecItemAnswer(errSecDuplicateItem) }
        items.append(item)
        return SecItemAnswer(errSecSuccess)
    }

    func copyMatching(_ query: [String: Any]) -> SecItemAnswer {
        let found = indices(query).map { items[$0] }
        if query[kSecMatchLimit as String] as? String == kSecMatchLimitAll as String {
            return SecItemAnswer(errSecSuccess, found)
        }
        guard let first = found.first else { return SecItemAnswer(errSecItemNotFound) }
        if query[kSecReturnAttributes as String] as? Bool == true { return SecItemAnswer(errSecSuccess, first) }
        return SecItemAnswer(errSecSuccess, first[kSecValueData as String])
    }

    func update(_ query: [String: Any], _ attributes: [String: Any]) -> OSStatus {
        guard let index = indices(query).first, let copy = items[index].mutableCopy() as? NSMutableDictionary else {
            return errSecItemNotFound
        }
        for (key, value) in attributes { copy[key] = value }
        items[index] = copy
        return errSecSuccess
    }

    func delete(_ query: [String: Any]) -> OSStatus {
        guard let index = indices(query).first else { return errSecItemNotFound }
        items.remove(at: index)
        return errSecSuccess
    }

    private func indices(_ query: [String: Any]) -> [Int] {
        let filter = query.filter { !$0.key.hasPrefix("r_") && !$0.key.hasPrefix("m_") && !$0.key.hasPrefix("v_") }
        return items.indices.filter { index in
            filter.allSatisfy { key, value in (items[index][key] as? NSObject) == (value as? NSObject) }
        }
    }
}
