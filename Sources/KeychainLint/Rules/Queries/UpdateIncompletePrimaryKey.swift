// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let updateIncompletePrimaryKey = Rule(
        "update-incomplete-primary-key",
        .warning,
        .high,
        .query,
        title: "An update may change more than one item",
        reason:
            "An update changes every item that its query matches: with a key column left out, one secret overwrites many.",
        remedy: "Name the item by its whole primary key.",
        flagged: [
            """
            import Security
            func update(_ a: String, _ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrAccount: a] as CFDictionary,
                    [kSecValueData: d] as CFDictionary)
            }
            """,
            """
            import Security
            func update(_ d: Data) -> OSStatus {
                var q: [String: Any] = [:]
                q[kSecClass as String] = kSecClassInternetPassword
                q[kSecAttrServer as String] = "example.com"
                return SecItemUpdate(q as CFDictionary, [kSecValueData as String: d] as CFDictionary)
            }
            """,
            """
            import Security
            let everything = [kSecClass: kSecClassGenericPassword] as [CFString: Any]
            func update(_ d: Data) -> OSStatus {
                SecItemUpdate(everything as CFDictionary, [kSecValueData: d] as CFDictionary)
            }
            """,
        ],
        accepted: [
            """
            import Security
            func update(_ a: String, _ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary,
                    [kSecValueData: d] as CFDictionary)
            }
            """,
            """
            import Security
            func move(to group: String) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary,
                    [kSecAttrAccessGroup: group] as CFDictionary)
            }
            """,
            """
            import Security
            func update(_ item: Data, _ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecValuePersistentRef: item] as CFDictionary,
                    [kSecValueData: d] as CFDictionary)
            }
            """,
        ],
        check: .module { all, report in
            for facts in all.functions where !facts.isTest {
                for site in facts.reported where site.function == .update {
                    guard let (keys, itemClass) = site.missingIdentity() else { continue }
                    let changed = Set((site.attributes?.variants ?? []).flatMap(\.entries.keys))
                    let isMove = changed == ["kSecAttrAccessGroup"]
                    let isPair = itemClass == .key && keys == ["kSecAttrKeyClass"]
                    if facts.isBulk(site) || isMove { continue }
                    // One item for each service, by design.
                    let isConsistent =
                        keys == ["kSecAttrAccount"] && all.addsOmit(keys, type: facts.typeName, file: facts.file)
                    report.add(
                        site.reportPlace,
                        "updates every item that matches: \(list(keys)) \(keys.count > 1 ? "are" : "is") not given",
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
