// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let updateKeyAttribute = Rule(
        "update-key-attribute",
        severity: .note,
        confidence: .medium,
        family: .query,
        title: "An update renames an item",
        reason: """
            Changing a key column in place moves the item to another slot, and fails with errSecDuplicateItem \
            when that is taken.
            """,
        remedy: "Handle errSecDuplicateItem, and say in the function's name that it renames.",
        flagged: """
            import Security
            func change(_ other: String) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecAttrAccount: other] as CFDictionary)
            }
            """,
        accepted: """
            import Security
            func change(_ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
            }
            """,
        check: .site { site, _, report in
            guard site.function == .update, let attributes = site.attributes else { return }
            for (key, entry) in site.entries(attributes) where KeyTable.chosenNames.contains(key) {
                let isSame = site.query.variants.contains {
                    $0.isOpen
                        || ($0.value(key)?.identityText != nil
                            && $0.value(key)?.identityText == entry.value.identityText)
                }
                if isSame { continue }
                report.add(
                    entry.place,
                    "\(key) is part of the primary key: the item is renamed, and the new name may be taken",
                    related: [(site.reportPlace, "the update")],
                    context: site.context + key
                )
            }
        }
    )
}
