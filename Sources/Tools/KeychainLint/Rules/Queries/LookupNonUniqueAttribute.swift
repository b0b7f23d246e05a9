// SPDX-License-Identifier: Apache-2.0
import KeychainCore

/// Attributes outside every primary key, which make a query miss an item once they differ.
enum NarrowingKeys {
    static let all: Set<String> = [
        "kSecAttrAccessible", "kSecAttrAccessControl", "kSecAttrGeneric", "kSecAttrComment", "kSecAttrDescription",
        "kSecAttrIsInvisible", "kSecAttrIsNegative", "kSecAttrCreationDate", "kSecAttrModificationDate",
        "kSecValueData",
        "kSecAttrIsPermanent", "kSecAttrIsExtractable", "kSecAttrIsSensitive",
    ]

    /// The keys of a dictionary that narrow it without naming the item.
    static func found(in variant: AbstractDictionary.Variant) -> [String] {
        let isPassword = variant.itemClass?.isPassword ?? false
        return variant.entries.compactMap { key, entry -> String? in
            if entry.value.isNull { return nil }
            if all.contains(key) { return key }
            // Keys and certificates are commonly distinguished by a label.
            if isPassword, ["kSecAttrLabel", "kSecAttrType", "kSecAttrCreator"].contains(key) { return key }
            return nil
        }
    }
}

extension Rule {
    static let lookupNonUniqueAttribute = Rule(
        "lookup-non-unique-attribute",
        severity: .warning,
        confidence: .medium,
        family: .query,
        title: "A look-up by an attribute that does not tell items apart decides about an add",
        reason: """
            The look-up filters by an attribute outside of the primary key and finds nothing when only that differs. \
            The add that follows then fails with errSecDuplicateItem: the item was there all the time.
            """,
        remedy: "Look up by the primary key only, or update first and add when nothing was found.",
        flagged: """
            import Security
            func save(_ d: Data, title: String) -> OSStatus {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                var q = id
                q[kSecAttrLabel] = title
                if SecItemCopyMatching(q as CFDictionary, nil) == errSecItemNotFound {
                    var new = id
                    new[kSecValueData] = d
                    new[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
                    return SecItemAdd(new as CFDictionary, nil)
                }
                return errSecSuccess
            }
            """,
        accepted: """
            import Security
            func save(_ d: Data, title: String) -> OSStatus {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                let s = SecItemUpdate(id as CFDictionary, [kSecValueData: d, kSecAttrLabel: title] as CFDictionary)
                if s == errSecItemNotFound {
                    return SecItemAdd(id.merging([kSecValueData: d, kSecAttrLabel: title,
                        kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                }
                return s
            }
            """,
        check: .function { facts, report in
            for look in facts.sites where look.function == .copyMatching {
                let keys = Set(look.query.variants.flatMap { NarrowingKeys.found(in: $0) })
                guard !keys.isEmpty else { continue }
                for add in facts.sites where add.function == .add && add.index > look.index {
                    guard let codes = add.codes[look.index], codes.contains(.notFound), !codes.contains(.success),
                        let one = look.query.variants.first, let two = add.query.variants.first,
                        one.meansSameItem(as: two)
                    else { continue }
                    // An attribute that every add writes the same way cannot differ.
                    let differing = keys.filter { key in
                        guard let mine = one.value(key), let theirs = two.value(key) else { return true }
                        if case .constant = mine { return mine != theirs }
                        if case .string = mine { return mine != theirs }
                        return true
                    }
                    guard !differing.isEmpty, look.isReported || look.depth <= 2 else { continue }
                    report.add(
                        look.isReported ? look.reportPlace : look.place,
                        "looks up by \(list(differing)), which does not tell items apart; the add then finds a duplicate",
                        related: [(add.rootCall, "the item is added here")],
                        context: look.context
                    )
                    break
                }
            }
        }
    )
}
