// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let narrowingAttributeInQuery = Rule(
        "narrowing-attribute-in-query",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An update or delete names more than the item",
        reason: """
            The query of an update or a delete should name the item and nothing else. With a filter such as \
            kSecAttrAccessible or kSecAttrLabel the call misses the item as soon as that attribute differs.
            """,
        remedy: "Build the query from the primary key only; what changes belongs into the attributes of the update.",
        flagged: """
            import Security
            func remove() -> OSStatus {
                let add: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
                return SecItemDelete(add as CFDictionary)
            }
            """,
        accepted: """
            import Security
            func remove(_ a: String) -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                    kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary)
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .update || site.function == .delete, !facts.isBulk(site) else { return }
            guard !site.query.variants.contains(where: \.hasReference) else { return }
            let keys = Set(site.query.variants.flatMap { NarrowingKeys.found(in: $0) })
            guard !keys.isEmpty else { return }
            // A class and a label alone are a search for many items, which other rules check.
            let named = site.query.variants.contains { variant in
                variant.isOpen || variant.itemClass.map { KeyTable.missingIdentity(variant, $0).count < 2 } ?? true
            }
            guard named else { return }
            let always = site.query.variants.allSatisfy { !NarrowingKeys.found(in: $0).isEmpty }
            let places = site.entries(site.query).filter { keys.contains($0.key) }
                .map { (place: $0.entry.place, message: "\($0.key) is set here") }
            report.add(
                site.reportPlace,
                keys == ["kSecValueData"]
                    ? "the query holds kSecValueData: some keychains ignore it, others compare it and miss the item"
                    : "\(site.function == .update ? "updates" : "deletes") by \(list(keys)) too: misses the item once that differs",
                confidence: always ? .high : .medium,
                related: places,
                context: site.context
            )
        }
    )
}
