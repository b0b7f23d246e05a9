// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let queryDictionaryReused = Rule(
        "query-dictionary-reused",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "One dictionary serves several calls",
        reason: """
            What one call needs is wrong for the next: data and protection narrow a delete, return and match \
            keys do not belong into an add or an update.
            """,
        remedy: "Keep a dictionary that names the item, and make a copy of it for each call.",
        flagged: """
            import Security
            func replace(_ d: Data) -> OSStatus {
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
                let status = SecItemDelete(q as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else { return status }
                return SecItemAdd(q as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func save(_ d: Data) -> OSStatus {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                let new: [CFString: Any] = [kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
                let status = SecItemUpdate(id as CFDictionary, new as CFDictionary)
                guard status == errSecItemNotFound else { return status }
                return SecItemAdd(id.merging(new) { $1 } as CFDictionary, nil)
            }
            """,
        check: .function { facts, report in
            let sites = facts.reported
            for (index, second) in sites.enumerated() {
                for first in sites[..<index].reversed() {
                    guard first.function != second.function, second.passed.contains(first.index),
                        first.query.identity == second.query.identity,
                        first.query.identity != 0, let name = second.queryName,
                        first.queryName == name
                            || first.query.variants.contains(where: { second.query.variants.contains($0) }),
                        first.rootCall != second.rootCall
                    else { continue }
                    let leaked = leaks(second.function, second.query)
                    let early = first.query == second.query ? leaks(first.function, first.query) : []
                    if !leaked.isEmpty {
                        report.add(
                            second.reportPlace,
                            "reuses '\(name)' from \(first.function.rawValue): \(list(leaked)) "
                                + "\(leaked.count > 1 ? "do" : "does") not belong into \(second.function.rawValue)",
                            related: [(first.reportPlace, "the first call with it")],
                            context: second.context
                        )
                    } else if !early.isEmpty {
                        // What the second call needs is wrong in the first.
                        report.add(
                            first.reportPlace,
                            "shares '\(name)' with \(second.function.rawValue): \(list(early)) "
                                + "\(early.count > 1 ? "do" : "does") not belong into \(first.function.rawValue)",
                            related: [(second.reportPlace, "the other call, which needs it")],
                            context: first.context
                        )
                    } else {
                        continue
                    }
                    break
                }
            }
        }
    )
}

/// Keys intended for another call.
private func leaks(_ function: ItemFunction, _ query: AbstractDictionary) -> Set<String> {
    Set(
        query.variants.flatMap { variant -> [String] in
            switch function {
            case .add: variant.entries.keys.filter { KeyTable.isMatchKey($0) }
            case .copyMatching: NarrowingKeys.found(in: variant).filter { $0 == "kSecValueData" }
            case .update, .delete:
                NarrowingKeys.found(in: variant)
                    + variant.entries.keys.filter {
                        KeyTable.isMatchKey($0) || (KeyTable.isReturnKey($0) && variant.isCertainlyTrue($0))
                    }
            }
        }
    )
}
