// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let updateAddOnlyAttribute = Rule(
        "update-add-only-attribute",
        .warning,
        .high,
        .query,
        title: "An update changes the access control",
        reason: """
            An update takes kSecAttrAccessControl only while the old protection is open, never for keys of a \
            token or the Secure Enclave, and the file-based keychain drops it.
            """,
        remedy: """
            Add a new item with the new access control, read it back, and remove the old one, in the foreground.
            """,
        flagged: [
            """
            import Security
            func guardItem(_ acl: SecAccessControl) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecAttrAccessControl: acl] as CFDictionary)
            }
            """,
            """
            import Security
            func set(_ d: Data, _ acl: SecAccessControl) -> OSStatus {
                var new: [String: Any] = [kSecValueData as String: d]
                new[kSecAttrAccessControl as String] = acl
                return SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, new as CFDictionary)
            }
            """,
            """
            import Security
            func attributes(_ d: Data, _ acl: SecAccessControl?) -> [CFString: Any] {
                var result: [CFString: Any] = [kSecValueData: d]
                if let acl { result[kSecAttrAccessControl] = acl }
                return result
            }
            func set(_ d: Data, _ acl: SecAccessControl) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, attributes(d, acl) as CFDictionary)
            }
            """,
        ],
        accepted: [
            """
            import Security
            func set(_ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
            }
            """,
            """
            import Security
            func set(_ d: Data) -> OSStatus {
                SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock] as CFDictionary)
            }
            """,
            """
            import Security
            func add(_ d: Data, _ acl: SecAccessControl) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrAccessControl: acl, kSecValueData: d] as CFDictionary, nil)
            }
            """,
        ],
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
