// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let forceCastResult = Rule(
        "force-cast-result",
        severity: .warning,
        confidence: .high,
        family: .results,
        title: "A result is cast by force",
        reason: """
            What a read returns depends on its flags and on how many items match; as! stops the program when a \
            reader or another version of the query disagrees.
            """,
        remedy: """
            Use as? and throw when it fails. Only classes of CoreFoundation such as SecKey need as!, after \
            success.
            """,
        flagged: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
                return (r as! Data)
            }
            """,
        accepted: """
            import Security
            func read() -> Data? {
                var r: CFTypeRef?
                guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        check: .function { facts, report in
            for site in facts.sites {
                for cast in site.casts where cast.kind == .forced && cast.depth == 0 {
                    let isCoreFoundation = CastType.isCoreFoundation(cast.type)
                    if isCoreFoundation, cast.codes != nil || !cast.isWhole { continue }
                    report.add(
                        cast.place,
                        isCoreFoundation
                            ? "casts the result before the status is known"
                            : "casts the result by force: as! \(cast.type) stops the program when it is something else",
                        related: [(site.place, "the call")],
                        context: site.context
                    )
                }
            }
        }
    )
}
