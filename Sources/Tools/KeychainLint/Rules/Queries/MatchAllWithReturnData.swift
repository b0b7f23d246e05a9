// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let matchAllWithReturnData = Rule(
        "match-all-with-return-data",
        severity: .note,
        confidence: .high,
        family: .query,
        title: "All passwords are read with their data",
        reason: """
            Each item may need its own authentication: Apple documents kSecMatchLimitAll with kSecReturnData as \
            unsupported for passwords. One locked item makes the whole read fail, and the file-based keychain \
            refuses it.
            """,
        remedy: "Ask for attributes or persistent references, then read the items one by one.",
        flagged: """
            import Security
            func all(_ r: inout CFTypeRef?) -> OSStatus {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnData: true] as CFDictionary, &r)
            }
            """,
        accepted: """
            import Security
            func all(_ r: inout CFTypeRef?) -> OSStatus {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll,
                    kSecReturnPersistentRef: true] as CFDictionary, &r)
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .copyMatching else { return }
            let found = site.query.variants.contains { variant in
                variant.itemClass?.isPassword == true && variant.asksForMany == true && !variant.looksForASecond
                    && variant.isCertainlyTrue("kSecReturnData")
            }
            guard found else { return }
            report.add(
                site.reportPlace,
                "reads the data of many passwords at once: one locked item makes all of it fail",
                severity: facts.platforms.isMacOnly ? .warning : nil,
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
