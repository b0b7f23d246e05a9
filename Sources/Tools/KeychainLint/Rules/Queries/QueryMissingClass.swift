// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let queryMissingClass = Rule(
        "query-missing-class",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A call names no class",
        reason: """
            Without kSecClass, and without a reference to an item, the keychain does not know where to look: the \
            call is refused with errSecParam (-50).
            """,
        remedy: "Add kSecClass.",
        flagged: """
            import Security
            func forget(_ a: String) -> OSStatus { SecItemDelete([kSecAttrService: "s", kSecAttrAccount: a] as CFDictionary) }
            """,
        accepted: """
            import Security
            func forget(_ r: Data) -> OSStatus { SecItemDelete([kSecValuePersistentRef: r] as CFDictionary) }
            """,
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
