// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let accessGroupAsymmetric = Rule(
        "access-group-asymmetric",
        .note,
        .high,
        .query,
        title: "Some calls name the access group, others do not",
        reason: """
            An add without a group writes into the first group of the entitlements, a read, update or delete \
            without one means all groups: they do not meet where you think.
            """,
        remedy: "Put the group into the dictionary that all calls of the type start from.",
        flagged: [
            """
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
            """
            import Security
            final class Vault {
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrAccessGroup: "A1B2C3D4E5.x", kSecValueData: d,
                        kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
                }
                func update(_ d: Data) -> OSStatus {
                    SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
                }
            }
            """,
            """
            import Security
            enum Vault {
                static func add(_ d: Data, _ group: String) -> OSStatus {
                    var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: d]
                    q[kSecAttrAccessGroup] = group
                    q[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
                    return SecItemAdd(q as CFDictionary, nil)
                }
                static func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
            }
            """,
        ],
        accepted: [
            """
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
            """
            import Security
            struct Vault {
                let group: String?
                func id() -> [CFString: Any] {
                    var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                    if let group { q[kSecAttrAccessGroup] = group }
                    return q
                }
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd(id().merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                }
                func remove() -> OSStatus { SecItemDelete(id() as CFDictionary) }
            }
            """,
            """
            import Security
            struct Vault {
                func add(_ d: Data) -> OSStatus {
                    SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
                }
                func remove() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            }
            """,
        ],
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
                    let changes = site.function != .copy && !second
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
