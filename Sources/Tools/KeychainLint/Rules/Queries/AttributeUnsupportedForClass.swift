// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let attributeUnsupportedForClass = Rule(
        "attribute-unsupported-for-class",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A class does not have the attribute",
        reason: """
            Each class has its own attributes. The data protection keychain refuses others with errSecNoSuchAttr \
            (-25303); the file-based keychain of macOS ignores them, which is worse.
            """,
        remedy: """
            Use the attribute of the class: kSecAttrAccount for passwords, kSecAttrApplicationTag for keys, \
            kSecAttrLabel for certificates.
            """,
        flagged: """
            import Security
            func add(_ d: Data, _ tag: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecAttrApplicationTag: tag, kSecValueData: d,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func find(_ name: String) -> OSStatus {
                SecItemCopyMatching([kSecClass: kSecClassCertificate, kSecAttrLabel: name] as CFDictionary, nil)
            }
            """,
        check: .site { site, _, report in
            var seen: Set<String> = []
            for variant in site.query.variants {
                guard let value = variant.value("kSecClass") else { continue }
                let classes = value.alternatives.map { KeyTable.itemClass($0) }
                let known = classes.compactMap { $0 }
                guard !known.isEmpty, known.count == classes.count else { continue }
                var dictionaries = [variant.entries]
                if let attributes = site.attributes { dictionaries += attributes.variants.map(\.entries) }
                for (key, entry) in dictionaries.joined().sorted(by: { $0.key < $1.key })
                where KeyTable.isAttribute(key) && !entry.value.isNull {
                    guard known.allSatisfy({ !KeyTable.isSupported(key, by: $0) }), seen.insert(key).inserted else {
                        continue
                    }
                    report.add(
                        entry.place,
                        "\(key) is no attribute of \(known.map(Self.name).joined(separator: ", ")): errSecNoSuchAttr",
                        related: [(site.reportPlace, "the call")],
                        context: site.context + key
                    )
                }
            }
        }
    )
}

extension Rule {
    private static func name(_ itemClass: ItemClass) -> String {
        switch itemClass {
        case .genericPassword: "generic passwords"
        case .internetPassword: "internet passwords"
        case .certificate: "certificates"
        case .key: "keys"
        case .identity: "identities"
        }
    }
}
