// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let deleteClassWide = Rule(
        "delete-class-wide",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "A delete removes all items of a class",
        reason: """
            With only kSecClass a delete removes every item of the class that the process may see: those of SDKs in the same \
            process and, with shared groups, those of other apps.
            """,
        remedy: "Narrow it by a service, a server or an access group.",
        flagged: """
            import Security
            func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) }
            """,
        accepted: """
            import Security
            func wipeAll() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .delete, site.isClassWide else { return }
            let names = (facts.name + (site.symbol?.function.name ?? "")).lowercased()
            let isIntended = ["firstlaunch", "freshinstall", "firstrun", "reinstall", "install", "teardown", "test"]
                .contains { names.contains($0) }
            let isReset = isIntended || facts.isBulk(site)
            report.add(
                site.reportPlace,
                "deletes every item of the class, those of other libraries in the process too",
                severity: isIntended ? .note : isReset ? .warning : .error,
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
