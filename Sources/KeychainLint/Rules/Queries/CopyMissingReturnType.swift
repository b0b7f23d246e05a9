// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let copyMissingReturnType = Rule(
        "copy-missing-return-type",
        .error,
        .high,
        .query,
        title: "A read asks for nothing and uses the answer",
        reason: """
            Without a kSecReturn… key that is true the result stays nil: the call succeeds, and nothing comes \
            back.
            """,
        remedy: """
            Add kSecReturnData, kSecReturnAttributes, kSecReturnRef or kSecReturnPersistentRef, whichever fits \
            what the result is cast to.
            """,
        flagged: [
            """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
            """
            import Security
            func read(_ a: String) throws -> Data {
                var item: AnyObject?
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
                q[kSecAttrService as String] = "s"
                q[kSecAttrAccount as String] = a
                q[kSecReturnData as String] = kCFBooleanFalse
                let status = SecItemCopyMatching(q as CFDictionary, &item)
                guard status == errSecSuccess, let data = item as? Data else { throw Failure(status) }
                return data
            }
            """,
            """
            import Security
            func read() -> SecKey? {
                var r: CFTypeRef?
                let q = NSMutableDictionary()
                q[kSecClass] = kSecClassKey
                q[kSecAttrApplicationLabel] = Data([1])
                let status = withUnsafeMutablePointer(to: &r) { SecItemCopyMatching(q, UnsafeMutablePointer($0)) }
                guard status == errSecSuccess else { return nil }
                return (r as! SecKey)
            }
            """,
        ],
        accepted: [
            """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
            """
            import Security
            func exists() -> Bool {
                var r: CFTypeRef?
                return SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, &r) == errSecSuccess
            }
            """,
            """
            import Security
            func read(_ flags: [CFString: Any]) -> Data? {
                var r: CFTypeRef?
                var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                q.merge(flags) { $1 }
                guard SecItemCopyMatching(q as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        ],
        check: .site { site, _, report in
            guard site.function == .copy, site.pointer != .none, site.isResultRead else { return }
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
