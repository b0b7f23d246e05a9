// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ignoredOsstatus = Rule(
        "ignored-osstatus",
        .warning,
        .high,
        .results,
        in: .all,
        title: "The status of a call is dropped",
        reason: """
            Every keychain call can fail: locked, cancelled, no entitlement, full disk. Without a look at the \
            status a failure passes for success, and the result variable says nothing reliable.
            """,
        remedy: "Look at the status; for a delete errSecItemNotFound is success too.",
        flagged: [
            """
            import Security
            func forget() { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
            """
            import Security
            func forget() { _ = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
            """
            import Security
            func save(_ d: Data) {
                var status = errSecSuccess
                status = SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
            }
            """,
            """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                return r as? Data
            }
            """,
            """
            import Security
            @discardableResult func remove(_ q: [CFString: Any]) -> OSStatus { SecItemDelete(q as CFDictionary) }
            func forget() { remove([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]) }
            """,
        ],
        accepted: [
            """
            import Security
            func forget() -> OSStatus { return SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
            """
            import Security
            func forget() throws { try check(SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)) }
            func check(_ status: OSStatus) throws {
                guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status) }
            }
            """,
            #"""
            import Security
            func forget() {
                let status = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                if status != errSecSuccess { print("status \(status)") }
            }
            """#,
            """
            import Security
            func forget() -> Bool { [errSecSuccess, errSecItemNotFound].contains(SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)) }
            """,
        ],
        check: .function { facts, report in
            for site in facts.sites {
                if let discard = site.discards.first(where: { $0.depth == 0 }) {
                    let isCleanUp = facts.isTest || site.isDeferred
                    report.add(
                        discard.place,
                        "drops the status of \(site.function.rawValue)",
                        severity: isCleanUp ? .note : nil,
                        context: site.context
                    )
                } else if site.isReported, site.statusDepth == 0, let name = site.statusVariable, !site.isStatusRead,
                    site.discards.isEmpty,
                    !site.isInClosure
                {
                    report.add(
                        site.reportPlace,
                        "the status of \(site.function.rawValue) is kept in '\(name)' and never read",
                        context: site.context
                    )
                }
            }
        }
    )
}
