// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let readErrorCollapsed = Rule(
        "read-error-collapsed",
        .note,
        .medium,
        .results,
        title: "\"Locked\" and \"not there\" look the same",
        reason: """
            A read that returns nil for every failure hides errSecInteractionNotAllowed behind \
            errSecItemNotFound: callers then sign people out, or overwrite what is only locked.
            """,
        remedy: "Return nil for errSecItemNotFound only, and throw everything else.",
        flagged: [
            """
            import Security
            func token() -> Data? {
                var r: CFTypeRef?
                guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
            """
            import Security
            func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
            """,
            """
            import Security
            func token() -> String {
                var r: AnyObject?
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                if s == noErr, let d = r as? Data { return String(decoding: d, as: UTF8.self) }
                return ""
            }
            """,
        ],
        accepted: [
            """
            import Security
            func token() throws -> Data? {
                var r: CFTypeRef?
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) {
                case errSecSuccess: return r as? Data
                case errSecItemNotFound: return nil
                case let s: throw Failure(s)
                }
            }
            """,
            """
            import Security
            func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) != errSecItemNotFound }
            """,
            """
            import Security
            func token(_ r: inout CFTypeRef?) -> OSStatus { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) }
            """,
        ],
        check: .function { facts, report in
            let name = facts.name.lowercased()
            guard !name.hasPrefix("try"), !name.contains("peek") else { return }
            for site in facts.sites where site.function == .copy && site.depth == 0 {
                let isCollapsed = facts.events.contains { event in
                    guard event.depth == 0, case .returned(let value, _) = event.kind else { return false }
                    let both: CodeSet = [.interactionNotAllowed, .notFound]
                    switch value {
                    case .test(site.index, _, let no): return no.isSuperset(of: both)
                    case .null, .boolean(false), .array([]), .string(""):
                        guard let codes = event.codes[site.index] else { return false }
                        return codes.isSuperset(of: both) && !codes.contains(.success)
                    default: return false
                    }
                }
                guard isCollapsed else { continue }
                report.add(
                    site.reportPlace,
                    "answers the same for a locked keychain as for an item that is not there",
                    context: site.context
                )
            }
        }
    )
}
