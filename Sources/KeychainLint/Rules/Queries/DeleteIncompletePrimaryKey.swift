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
            """
            import Security
            struct Vault {
                typealias Query = [String: Any]
                func base(_ account: String) -> Query {
                    [kSecClass as String: kSecClassInternetPassword, kSecAttrAccount as String: account]
                }
                func delete(_ query: Query) -> OSStatus { SecItemDelete(query as CFDictionary) }
                func forget(_ account: String) -> OSStatus { delete(base(account)) }
            }
            """,
        ],
        accepted: [
            """
            import Security
            func forget(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary)
            }
            """,
            """
            import Security
            func deleteAll() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
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
            """
            import Security
            func removeAll() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrCreator: 1_297_300_555] as CFDictionary)
            }
            """,
        ],
        check: .module { all, report in
            all.reportIncompleteIdentity(of: .delete, verb: "deletes", to: &report) { site, facts in
                site.isClassWide || (facts.isBulk(site) && site.hasScope)
            }
        }
    )
}
