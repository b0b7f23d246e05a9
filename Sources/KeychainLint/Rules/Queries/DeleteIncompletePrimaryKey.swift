// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let deleteIncompletePrimaryKey = Rule(
        "delete-incomplete-primary-key",
        .warning,
        .high,
        .query,
        title: "A delete may remove more than one item",
        reason: """
            A delete has no default of one in the data protection keychain: it removes every item that matches, those \
            of other features and libraries included.
            """,
        remedy: "Name the item by its whole primary key, or say in the function's name that many are meant.",
        flagged: [
            """
            import Security
            func forget(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
            }
            func keep(_ a: String, _ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
            }
            """,
            """
            import Security
            func forget(user: String) -> OSStatus {
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
                q[kSecAttrAccount as String] = user
                return SecItemDelete(q as CFDictionary)
            }
            """,
            """
            import Security
            func forget(host: String) -> OSStatus {
                SecItemDelete(NSDictionary(dictionary: [kSecClass: kSecClassInternetPassword, kSecAttrServer: host]))
            }
            """,
        ],
        accepted: [
            """
            import Security
            func deleteAll() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
            }
            """,
            """
            import Security
            func forget(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary)
            }
            """,
            """
            import Security
            func forget(_ item: Data) -> OSStatus { SecItemDelete([kSecValuePersistentRef: item] as CFDictionary) }
            """,
            """
            import Security
            func forget(_ account: String?) -> OSStatus {
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s"]
                if let account { q[kSecAttrAccount as String] = account }
                return SecItemDelete(q as CFDictionary)
            }
            """,
        ],
        check: .module { all, report in
            for facts in all.functions where !facts.isTest {
                for site in facts.reported where site.function == .delete && !site.isClassWide {
                    guard let (keys, itemClass) = site.missingIdentity() else { continue }
                    if facts.isBulk(site), site.hasScope { continue }
                    // Both halves of a key pair have its tag.
                    let isPair = itemClass == .key && keys == ["kSecAttrKeyClass"]
                    // One item for each service, by design.
                    let isConsistent =
                        keys == ["kSecAttrAccount"] && all.addsOmit(keys, type: facts.typeName, file: facts.file)
                    report.add(
                        site.reportPlace,
                        "deletes every item that matches: \(list(keys)) \(keys.count > 1 ? "are" : "is") not given",
                        severity: isPair || isConsistent ? .note : nil,
                        confidence: isPair || isConsistent ? .medium : nil,
                        related: site.originRelated,
                        context: site.context
                    )
                }
            }
        }
    )
}
