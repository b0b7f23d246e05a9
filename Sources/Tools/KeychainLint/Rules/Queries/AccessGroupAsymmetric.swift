// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let accessGroupAsymmetric = Rule(
        "access-group-asymmetric",
        severity: .note,
        confidence: .high,
        family: .query,
        title: "Some calls name the access group, others do not",
        reason: """
            An add without a group writes into the first group of the entitlements, a read, update or delete \
            without one means all groups: they do not meet where you think.
            """,
        remedy: "Put the group into the dictionary that all calls of the type start from.",
        flagged: """
            import Security
            struct Vault {
                let group: String
                func id() -> [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] }
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd(id().merging([kSecAttrAccessGroup: group, kSecValueData: d,
                        kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                }
                func remove() -> OSStatus { SecItemDelete(id() as CFDictionary) }
            }
            """,
        accepted: """
            import Security
            struct Vault {
                let group: String
                func id() -> [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrAccessGroup: group] }
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd(id().merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                }
                func remove() -> OSStatus { SecItemDelete(id() as CFDictionary) }
            }
            """,
        check: .module { all, report in
            let sites = all.functions.filter { !$0.isTest && $0.typeName != nil }.flatMap { facts in
                facts.reported.map { (facts, $0) }
            }
            func names(_ site: Site) -> Bool? {
                let found = site.query.variants.map { $0.has("kSecAttrAccessGroup") }
                if found.allSatisfy({ $0 }) { return true }
                return found.contains(true) || site.query.variants.contains(where: \.isOpen) ? nil : false
            }
            for (owner, add) in sites where add.function == .add {
                guard let first = names(add), let one = add.query.variants.first else { continue }
                for (facts, site) in sites where site.function != .add && facts.typeName == owner.typeName {
                    guard let second = names(site), first != second, let two = site.query.variants.first,
                        two.meansSameItem(as: one), !two.hasReference
                    else { continue }
                    let changes = site.function != .copyMatching && !second
                    report.add(
                        site.reportPlace,
                        second
                            ? "names an access group that the add does not name"
                            : "names no access group, and means all of them; the add names one",
                        severity: changes ? .warning : nil,
                        related: [(add.reportPlace, "the add")],
                        context: site.context
                    )
                }
            }
        }
    )
}
