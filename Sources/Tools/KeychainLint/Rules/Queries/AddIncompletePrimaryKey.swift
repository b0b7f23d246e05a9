// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let addIncompletePrimaryKey = Rule(
        "add-incomplete-primary-key",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An item is added without all of what tells it apart",
        reason: """
            A key column that is not given is stored with its empty default. Two features that both leave out the service, \
            or the account, then share one slot: the second add fails with errSecDuplicateItem, or an update hits the other's item.
            """,
        remedy: "Give generic passwords a service and an account, and internet passwords a server and an account.",
        flagged: """
            import Security
            func keep(_ d: Data, _ a: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrAccount: a,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecValueData: d] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func keep(_ d: Data, _ a: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecValueData: d] as CFDictionary, nil)
            }
            """,
        check: .module { all, report in
            for facts in all.functions where !facts.isTest {
                for site in facts.reported where site.function == .add {
                    guard let (keys, itemClass) = site.missingIdentity(), itemClass.isPassword else { continue }
                    // One item for each service, by design.
                    let isConsistent =
                        keys == ["kSecAttrAccount"]
                        && all.addsOmit(keys, of: itemClass, type: facts.typeName, file: facts.file)
                    report.add(
                        site.reportPlace,
                        "adds an item without \(list(keys)): everything else that leaves it out shares the slot",
                        severity: isConsistent ? .note : nil,
                        related: site.originRelated,
                        context: site.context
                    )
                }
            }
        }
    )
}
