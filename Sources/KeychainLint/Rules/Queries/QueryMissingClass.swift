// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let queryMissingClass = Rule(
        "query-missing-class",
        .error,
        .high,
        .query,
        title: "A call names no class",
        reason: """
            Without kSecClass, and without a reference to an item, the keychain does not know where to look: the \
            call is refused with errSecParam (-50).
            """,
        remedy: "Add kSecClass.",
        flagged: [
            """
            import Security
            func forget(_ a: String) -> OSStatus { SecItemDelete([kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary) }
            """,
            """
            import Security
            func update(_ d: Data) -> OSStatus {
                var q: [String: Any] = [:]
                q[kSecAttrService as String] = "s"
                q[kSecAttrAccount as String] = "a"
                return SecItemUpdate(q as CFDictionary, [kSecValueData as String: d] as CFDictionary)
            }
            """,
            """
            import Security
            struct Vault {
                var base: [CFString: Any] { [kSecAttrService: "s", kSecAttrAccount: "a"] }
                func exists() -> Bool { SecItemCopyMatching(base as CFDictionary, nil) == errSecSuccess }
            }
            """,
        ],
        accepted: [
            """
            import Security
            func forget(_ r: Data) -> OSStatus { SecItemDelete([kSecValuePersistentRef: r] as CFDictionary) }
            """,
            """
            import Security
            func add(_ key: SecKey) -> OSStatus {
                SecItemAdd([kSecValueRef: key, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
            """
            import Security
            func forget(_ more: [CFString: Any]) -> OSStatus {
                var q: [CFString: Any] = [kSecAttrService: "s"]
                for (k, v) in more { q[k] = v }
                return SecItemDelete(q as CFDictionary)
            }
            """,
        ],
        check: .site { site, _, report in
            let lacking = site.closed.filter { !$0.has("kSecClass") && !$0.hasReference }
            guard !lacking.isEmpty, lacking.count == site.query.variants.count else { return }
            report.add(
                site.reportPlace,
                "names no kSecClass: the call is refused (errSecParam)",
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
