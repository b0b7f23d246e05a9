// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let synchronizableScopeMismatch = Rule(
        "synchronizable-scope-mismatch",
        severity: .warning,
        confidence: .medium,
        family: .query,
        title: "Synchronised items are looked for among the others",
        reason: """
            A query without kSecAttrSynchronizable means items that are not synchronised: it never finds, \
            updates or deletes what was added with true.
            """,
        remedy: "Add kSecAttrSynchronizable: kSecAttrSynchronizableAny to reads and deletes.",
        flagged: """
            import Security
            struct Vault {
                func id() -> [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] }
                func add(_ d: Data) -> OSStatus {
                    var q = id()
                    q[kSecAttrSynchronizable] = true
                    q[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
                    q[kSecValueData] = d
                    return SecItemAdd(q as CFDictionary, nil)
                }
                func remove() -> OSStatus { SecItemDelete(id() as CFDictionary) }
            }
            """,
        accepted: """
            import Security
            struct Vault {
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: true, kSecValueData: d,
                        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock] as CFDictionary, nil)
                }
                func remove() -> OSStatus {
                    SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary)
                }
            }
            """,
        check: .module { all, report in
            let functions = all.functions.filter { !$0.isTest }
            let sites = functions.flatMap { facts in facts.reported.map { (facts, $0) } }
            let adds = sites.filter { _, site in
                site.function == .add && !site.query.variants.isEmpty
                    && site.query.variants.allSatisfy { $0.isCertainlyTrue("kSecAttrSynchronizable") }
            }
            for (owner, add) in adds {
                for (facts, site) in sites where site.function != .add && facts.typeName == owner.typeName {
                    guard facts.typeName != nil || facts.file == owner.file,
                        site.closed.count == site.query.variants.count,
                        let one = add.query.variants.first, let two = site.query.variants.first,
                        site.query.variants.allSatisfy({ variant in
                            !variant.hasReference
                                && (variant.value("kSecAttrSynchronizable").map { $0 == .boolean(false) } ?? true)
                        }), two.meansSameItem(as: one)
                    else { continue }
                    report.add(
                        site.reportPlace,
                        "never meets the item that is added with kSecAttrSynchronizable: true",
                        related: [(add.reportPlace, "it is added here")],
                        context: site.context
                    )
                }
            }
        }
    )
}
