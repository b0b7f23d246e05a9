// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let updateIncompletePrimaryKey = Rule(
        "update-incomplete-primary-key",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An update may change more than one item",
        reason:
            "An update changes every item that its query matches: with a key column left out, one secret overwrites many.",
        remedy: "Name the item by its whole primary key.",
        flagged: """
            import Security
            func update(_ a: String, _ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrAccount: a] as CFDictionary,
                    [kSecValueData: d] as CFDictionary)
            }
            """,
        accepted: """
            import Security
            func update(_ a: String, _ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary,
                    [kSecValueData: d] as CFDictionary)
            }
            """,
        check: .module { all, report in
            all.reportIncompleteIdentity(of: .update, verb: "updates", to: &report) { site, facts in
                // Moving items to another group may be intended for all of them.
                let changed = Set((site.attributes?.variants ?? []).flatMap(\.entries.keys))
                return facts.isBulk(site) || changed == ["kSecAttrAccessGroup"]
            }
        }
    )
}
