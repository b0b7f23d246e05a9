// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let returnFlagWithNilResult = Rule(
        "return-flag-with-nil-result",
        severity: .note,
        confidence: .high,
        family: .query,
        title: "A result is asked for and not taken",
        reason: """
            A kSecReturn… key does nothing when the result pointer is nil. It usually came along with a \
            dictionary that was made for another call.
            """,
        remedy: "Take the key out.",
        flagged: """
            import Security
            func add(_ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
                    kSecValueData: d] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func exists() -> Bool {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: false] as CFDictionary, nil) == errSecSuccess
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .copyMatching || site.function == .add, site.pointer == .none else { return }
            let found = site.entries(site.query).first { key, _ in
                KeyTable.isReturnKey(key) && site.query.variants.allSatisfy { $0.isCertainlyTrue(key) }
            }
            guard let found else { return }
            report.add(
                site.reportPlace,
                "\(found.key) does nothing: the result pointer is nil",
                related: [(found.entry.place, "it is set here")],
                fix: site.isOnlyUse(in: facts) && found.entry.depth == 0
                    ? EntryEdit.removal(found.entry.place, facts.module, title: "take \(found.key) out") : nil,
                context: site.context
            )
        }
    )
}
