// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let accessibleWithAccessControl = Rule(
        "accessible-with-access-control",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "An item gets both a protection class and an access control",
        reason: """
            An access control already carries a protection class. With both keys in one dictionary the attributes \
            contradict each other, and the call is refused.
            """,
        remedy: "Give the protection class to SecAccessControlCreateWithFlags, and leave kSecAttrAccessible out.",
        flagged: """
            import Security
            func keep(_ data: Data, _ acl: SecAccessControl) -> OSStatus {
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                    kSecAttrAccount as String: "a", kSecValueData as String: data]
                q[kSecAttrAccessControl as String] = acl
                q[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
                return SecItemAdd(q as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func keep(_ data: Data, _ acl: SecAccessControl?) -> OSStatus {
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                    kSecAttrAccount as String: "a", kSecValueData as String: data]
                if let acl { q[kSecAttrAccessControl as String] = acl }
                else { q[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked }
                return SecItemAdd(q as CFDictionary, nil)
            }
            """,
        check: .site { site, _, report in
            let dictionaries = site.function == .add ? [site.query] : [site.attributes].compactMap { $0 }
            guard site.function == .add || site.function == .update else { return }
            for variant in dictionaries.flatMap(\.variants) {
                guard let level = variant.entries["kSecAttrAccessible"],
                    let control = variant.entries["kSecAttrAccessControl"],
                    !level.value.isNull, !control.value.isNull
                else { continue }
                report.add(
                    level.place,
                    "kSecAttrAccessible beside kSecAttrAccessControl: the call is refused",
                    related: [(control.place, "the access control is set here")],
                    context: site.context
                )
                return
            }
        }
    )
}
