// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let importKeyViaValueData = Rule(
        "import-key-via-value-data",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "A key or certificate is stored as bytes",
        reason: """
            With kSecValueData the keychain stores bytes that it cannot check, without the attributes that make \
            a key findable by its certificate.
            """,
        remedy: """
            Make the object first, with SecKeyCreateWithData or SecCertificateCreateWithData, and add it with \
            kSecValueRef.
            """,
        flagged: """
            import Security
            func add(_ der: Data, _ tag: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassKey, kSecValueData: der, kSecAttrApplicationTag: tag,
                    kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func add(_ key: SecKey) -> OSStatus {
                SecItemAdd([kSecValueRef: key, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        check: .site { site, _, report in
            guard site.function == .add else { return }
            if site.assumptions.contains(where: { $0.key.hasPrefix("#available") && !$0.value }) { return }
            let found = site.query.variants.contains { variant in
                guard let itemClass = variant.itemClass, !itemClass.isPassword, variant.has("kSecValueData"),
                    !variant.has("kSecValueRef")
                else { return false }
                if itemClass == .key {
                    let keyClass = variant.value("kSecAttrKeyClass")
                    if keyClass == .constant("kSecAttrKeyClassSymmetric") { return false }
                    if case .constant(let type)? = variant.value("kSecAttrKeyType"), type.hasSuffix("AES") {
                        return false
                    }
                    if variant.isOpen, keyClass == nil { return false }
                }
                return true
            }
            guard found else { return }
            report.add(
                site.reportPlace,
                "adds a key, certificate or identity by kSecValueData: import it, and add it by kSecValueRef",
                related: site.originRelated,
                context: site.context
            )
        }
    )
}
