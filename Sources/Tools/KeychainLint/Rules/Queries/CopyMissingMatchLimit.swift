// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let copyMissingMatchLimit = Rule(
        "copy-missing-match-limit",
        severity: .note,
        confidence: .high,
        family: .query,
        title: "A read does not say how many items it wants",
        reason: """
            Without kSecMatchLimit a read returns one item. Readers have to know that, and a result that is taken for a list \
            is never one.
            """,
        remedy: "Add kSecMatchLimitOne, or kSecMatchLimitAll where a list is expected.",
        flagged: """
            import Security
            func read() -> OSStatus {
                var r: CFTypeRef?
                return SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true] as CFDictionary, &r)
            }
            """,
        accepted: """
            import Security
            func read() -> OSStatus {
                var r: CFTypeRef?
                return SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
            }
            """,
        check: .site { site, facts, report in
            guard site.function == .copyMatching, site.pointer != .none else { return }
            let lacking = site.closed.filter { variant in
                !variant.has("kSecMatchLimit") && !variant.hasReference
                    && variant.entries.contains { KeyTable.isReturnKey($0.key) && variant.isTrue($0.key) }
            }
            guard !lacking.isEmpty else { return }
            let wholes = site.casts.filter(\.isWhole)
            // Code that takes a list as well as one item is written for either limit.
            if wholes.contains(where: { CastType.isArray($0.type) }),
                wholes.contains(where: { !CastType.isArray($0.type) })
            {
                return
            }
            let isList = site.casts.contains { $0.isWhole && CastType.isArray($0.type) }
            let limit = isList ? "kSecMatchLimitAll" : "kSecMatchLimitOne"
            report.add(
                site.reportPlace,
                isList
                    ? "takes the result for a list, but asks for one item: add kSecMatchLimit: kSecMatchLimitAll"
                    : "does not say how many items it wants: add kSecMatchLimit: \(limit)",
                severity: isList ? .warning : nil,
                related: site.originRelated,
                fix: site.isOnlyUse(in: facts) && site.query.variants.count == 1
                    ? EntryEdit.insertion(
                        of: "kSecMatchLimit",
                        value: limit,
                        into: site.query.origin,
                        file: facts.file,
                        module: facts.module
                    )
                    : nil,
                context: site.context
            )
        }
    )
}
