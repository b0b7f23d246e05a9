// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let addMissingAccessible = Rule(
        "add-missing-accessible",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An item is added without a protection class",
        reason: """
            Without kSecAttrAccessible or kSecAttrAccessControl an item gets kSecAttrAccessibleWhenUnlocked. Every read while \
            the device is locked then fails with errSecInteractionNotAllowed (-25308), and nobody decided that.
            """,
        remedy: """
            Say when the item is needed: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly for background work, else \
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly. Decide when you add; changing it later needs an unlocked device.
            """,
        flagged: """
            import Security
            func store(_ secret: Data, user: String) throws {
                let status = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail",
                    kSecAttrAccount: user, kSecValueData: secret] as NSDictionary, nil)
                guard status == errSecSuccess else { throw Failure(status) }
            }
            """,
        accepted: """
            import Security
            func store(_ secret: Data, user: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail", kSecAttrAccount: user,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                    kSecValueData: secret] as NSDictionary, nil)
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .add else { return }
            let lacking = site.closed.filter { variant in
                !variant.has("kSecAttrAccessible") && !variant.has("kSecAttrAccessControl")
                    && !variant.isFileBased(on: facts.platforms)
                    && !(variant.has("kSecValueRef") && variant.itemClass != .key)
                    && !variant.has("kSecUseKeychain")
            }
            guard !lacking.isEmpty else { return }
            let isAlways = lacking.count == site.query.variants.count
            report.add(
                site.reportPlace,
                isAlways
                    ? "adds an item without kSecAttrAccessible: it gets kSecAttrAccessibleWhenUnlocked"
                    : "may add an item without kSecAttrAccessible: it then gets kSecAttrAccessibleWhenUnlocked",
                severity: lacking.allSatisfy(\.hasPublicKey) ? .note : nil,
                confidence: isAlways ? .high : .medium,
                related: site.originRelated,
                context: site.context
            )
        }
    )
}

extension AbstractDictionary.Variant {
    /// Whether the item is a public key that is given by reference or by data: no secret.
    fileprivate var hasPublicKey: Bool {
        value("kSecAttrKeyClass") == .constant("kSecAttrKeyClassPublic")
            || value("kSecValueRef")?.identityText?.lowercased().contains("publickey") == true
    }
}
