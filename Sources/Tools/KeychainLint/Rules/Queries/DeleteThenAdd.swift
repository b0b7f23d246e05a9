// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let deleteThenAdd = Rule(
        "delete-then-add",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An item is replaced by deleting it first",
        reason: """
            Between the delete and the add there is no item: when the add fails, the secret is gone. Persistent \
            references, dates and access control are lost in any case.
            """,
        remedy: "Update the item, and add it when the update says errSecItemNotFound.",
        flagged: """
            import Security
            func save(_ d: Data) -> OSStatus {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                SecItemDelete(id as CFDictionary)
                return SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func save(_ d: Data) -> OSStatus {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                let new: [CFString: Any] = [kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
                var status = SecItemUpdate(id as CFDictionary, new as CFDictionary)
                if status == errSecItemNotFound { status = SecItemAdd(id.merging(new) { $1 } as CFDictionary, nil) }
                return status
            }
            """,
        check: .function { facts, report in
            var reported: Set<Place> = []
            for add in facts.sites where add.function == .add {
                for delete in facts.sites.prefix(add.index).reversed()
                where delete.function == .delete && add.passed.contains(delete.index) {
                    guard !delete.isDeferred, add.depth < 3, delete.depth < 3,
                        let one = delete.query.variants.first,
                        let two = add.query.variants.first(where: { one.meansSameItem(as: $0) })
                            ?? (add.hasSameVariable(as: delete) ? add.query.variants.first : nil)
                    else { continue }
                    // Both belong to a helper that is analysed separately.
                    if add.depth > 0, delete.depth > 0, add.rootCall == delete.rootCall { continue }
                    if facts.sites.contains(where: { $0.function == .update && $0.index < delete.index }) { continue }
                    if add.codes[delete.index]?.isDisjoint(with: [.success, .notFound]) == true { continue }
                    let place = delete.isReported ? delete.reportPlace : delete.rootCall
                    guard reported.insert(place).inserted else { break }
                    let isByReference = two.has("kSecValueRef")
                    let changesControl = two.has("kSecAttrAccessControl")
                    report.add(
                        place,
                        "deletes the item before adding it: when the add fails, the secret is gone",
                        severity: isByReference || changesControl ? .note : nil,
                        confidence: isByReference || changesControl ? .medium : nil,
                        related: [(add.isReported ? add.reportPlace : add.rootCall, "it is added here")],
                        context: delete.context
                    )
                    break
                }
            }
        }
    )
}

extension Site {
    /// Whether two calls use the dictionary of one parameter: they then refer to the same items.
    fileprivate func hasSameVariable(as other: Site) -> Bool {
        queryName != nil && queryName == other.queryName && depth == 0 && other.depth == 0
            && query.identity != 0 && query.identity == other.query.identity
            && query.variants.allSatisfy(\.isOpen) && query.variants.allSatisfy(\.entries.isEmpty)
            && other.query.variants.allSatisfy(\.entries.isEmpty)
    }
}
