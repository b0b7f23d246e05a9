// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

extension Defect {
    /// Updates that go wrong.
    static let updates = [
        Defect("a service that is taken is taken over", breaks: "update onto another item is refused") {
            $0.swallow(through: kSecAttrService)
        },
        Defect("an access group that is taken is taken over", breaks: "update onto another item is refused") {
            $0.swallow(through: kSecAttrAccessGroup)
        },
        Defect("a synchronizable item is taken over", breaks: "update onto another item is refused") {
            $0.swallow(through: kSecAttrSynchronizable)
        },
        Defect(
            "an update of many stops halfway",
            breaks: "update of many to one key is refused"
        ) { $0.onUpdate = oneByOne },
        Defect("an item's own key is a duplicate", breaks: "update to its own key is none") { functions in
            functions.onUpdate = { query, attributes in
                let account = attributes[kSecAttrAccount as String] as? String
                let isOwn = account != nil && account == query[kSecAttrAccount as String] as? String
                return isOwn ? errSecDuplicateItem : DefectiveFunctions.real.update(query, attributes)
            }
        },
        Defect("an empty secret replaces none", breaks: "update to no bytes") {
            $0.leaveOutOfUpdate { attributes in
                let secret = attributes[kSecValueData as String] as? Data
                if secret?.isEmpty == true { attributes[kSecValueData as String] = nil }
            }
        },
        Defect("an update keeps the accessibility", breaks: "update changes the accessibility") {
            $0.leaveOutOfUpdate { $0[kSecAttrAccessible as String] = nil }
        },
        Defect("an update passes the account over", breaks: "an update leaves the others") {
            $0.misread(.update) { $0[kSecAttrAccount as String] = nil }
        },
        Defect("an update passes the service over", breaks: "an update leaves the others") {
            $0.misread(.update) { $0[kSecAttrService as String] = nil }
        },
        Defect("an update passes the account and the service over", breaks: "an update leaves the others") {
            $0.misread(.update) {
                $0[kSecAttrAccount as String] = nil
                $0[kSecAttrService as String] = nil
            }
        },
        Defect("an update means the first access group", breaks: "no access group is all of them") {
            $0.misread(.update, nameFirstGroup)
        },
        Defect("a delete means the first access group", breaks: "no access group is all of them") {
            $0.misread(.delete, nameFirstGroup)
        },
    ]

    @Sendable
    private static func oneByOne(
        _ query: DefectiveFunctions.Attributes,
        _ attributes: DefectiveFunctions.Attributes
    ) -> OSStatus {
        let real = DefectiveFunctions.real
        let returns: [String: Any] = [
            kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
        ]
        let answer = real.copyMatching(query.merging(returns) { $1 })
        guard answer.status == errSecSuccess, let items = answer.result as? [[String: Any]] else {
            return real.update(query, attributes)
        }
        for item in items {
            let keys = [kSecAttrAccount, kSecAttrService, kSecAttrAccessGroup].map { $0 as String }
            let status = real.update(query.merging(item.filter { keys.contains($0.key) }) { $1 }, attributes)
            if status != errSecSuccess { return status }
        }
        return errSecSuccess
    }

    @Sendable
    private static func nameFirstGroup(_ query: inout DefectiveFunctions.Attributes) {
        let key = kSecAttrAccessGroup as String
        if query[key] == nil { query[key] = KeychainContract.defaultAccessGroup }
    }
}
