// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let lookupIncompletePrimaryKey = Rule(
        "lookup-incomplete-primary-key",
        severity: .note,
        confidence: .medium,
        family: .query,
        title: "A read for one item may find another",
        reason: "A query for one item that leaves a key column out returns any of those that match.",
        remedy: "Name the service and the account, or ask for all and choose.",
        flagged: """
            import Security
            func read(_ host: String) -> OSStatus {
                var r: CFTypeRef?
                return SecItemCopyMatching([kSecClass: kSecClassInternetPassword, kSecAttrServer: host,
                    kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
            }
            """,
        accepted: """
            import Security
            func readAll(_ host: String) -> OSStatus {
                var r: CFTypeRef?
                return SecItemCopyMatching([kSecClass: kSecClassInternetPassword, kSecAttrServer: host,
                    kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll] as CFDictionary, &r)
            }
            """,
        check: .site { site, _, report in
            guard site.function == .copyMatching, site.pointer != .none,
                !site.closed.contains(where: { $0.asksForMany != false }),
                let (keys, itemClass) = site.missingIdentity(), itemClass.isPassword
            else { return }
            report.add(
                site.reportPlace,
                "reads one item without \(list(keys)): any that matches may come back",
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
