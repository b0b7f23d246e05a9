// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let copyMissingReturnType = Rule(
        "copy-missing-return-type",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A read asks for nothing and uses the answer",
        reason: """
            Without a kSecReturn… key that is true the result stays nil: the call succeeds, and nothing comes \
            back.
            """,
        remedy: """
            Add kSecReturnData, kSecReturnAttributes, kSecReturnRef or kSecReturnPersistentRef, whichever fits \
            what the result is cast to.
            """,
        flagged: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        accepted: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        check: .site { site, _, report in
            guard site.function == .copyMatching, site.pointer != .none, site.isResultRead else { return }
            let lacking = site.closed.filter { variant in
                !variant.entries.contains { KeyTable.isReturnKey($0.key) && variant.isTrue($0.key) }
            }
            guard !lacking.isEmpty, lacking.count == site.query.variants.count else { return }
            report.add(
                site.reportPlace,
                "asks for nothing: without a kSecReturn… key that is true the result stays nil",
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
