// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let deleteIncompletePrimaryKey = Rule(
        "delete-incomplete-primary-key",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "A delete may remove more than one item",
        reason: """
            A delete has no default of one in the data protection keychain: it removes every item that matches, those \
            of other features and libraries included.
            """,
        remedy: "Name the item by its whole primary key, or say in the function's name that many are meant.",
        flagged: """
            import Security
            func forget(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
            }
            func keep(_ a: String, _ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func forget(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary)
            }
            """,
        check: .module { all, report in
            all.reportIncompleteIdentity(of: .delete, verb: "deletes", to: &report) { site, facts in
                site.isClassWide || (facts.isBulk(site) && site.hasScope)
            }
        }
    )
}
