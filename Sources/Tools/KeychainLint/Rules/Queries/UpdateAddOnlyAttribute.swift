// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let updateAddOnlyAttribute = Rule(
        "update-add-only-attribute",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An update changes the access control",
        reason: """
            An update takes kSecAttrAccessControl only while the old protection is open, never for keys of a \
            token or the Secure Enclave, and the file-based keychain drops it.
            """,
        remedy: """
            Add a new item with the new access control, read it back, and remove the old one, in the foreground.
            """,
        flagged: """
            import Security
            func guardItem(_ acl: SecAccessControl) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecAttrAccessControl: acl] as CFDictionary)
            }
            """,
        accepted: """
            import Security
            func set(_ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
            }
            """,
        check: .site { site, _, report in
            guard site.function == .update, let attributes = site.attributes else { return }
            for (key, entry) in site.entries(attributes) where key == "kSecAttrAccessControl" && !entry.value.isNull {
                report.add(
                    entry.place,
                    "changes the access control of a stored item, which works only while the old one is open",
                    related: [(site.reportPlace, "the update")],
                    context: site.context
                )
            }
        }
    )
}
