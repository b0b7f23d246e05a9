// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let parameterGroupMismatch = Rule(
        "parameter-group-mismatch",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A key stands in a dictionary that does not take it",
        reason: """
            Match and return keys belong to reads, and the attributes of an update take attributes and the value \
            only. On iOS match keys in a delete or in the query of an update, and return keys in the query of an \
            update, are refused with errSecParam (-50); in the attributes of an update everything that is no \
            attribute is refused with errSecNoSuchAttr (-25303).
            """,
        remedy: """
            Take the key out. To delete one of several items, find it first and delete it by its persistent \
            reference.
            """,
        flagged: """
            import Security
            func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecMatchLimit: kSecMatchLimitOne] as CFDictionary) }
            """,
        accepted: """
            import Security
            func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
        check: .site { site, facts, report in
            func found(
                _ key: String,
                entry: AbstractDictionary.Entry,
                message: String,
                severity: Severity = .error
            ) {
                report.add(
                    entry.place,
                    message,
                    severity: severity,
                    related: [(site.reportPlace, "the call")],
                    fix: site.depth == 0 && entry.depth == 0
                        ? EntryEdit.removal(entry.place, facts.module, title: "take \(key) out") : nil,
                    context: site.context + key
                )
            }
            let isMac = facts.platforms == .macOS
            func flag(_ key: String) -> Bool { site.query.variants.contains { $0.isTrue(key) } }
            func isCertain(_ key: String) -> Bool { site.query.variants.contains { $0.isCertainlyTrue(key) } }
            for (key, entry) in site.entries(site.query) where !entry.value.isNull {
                switch site.function {
                case .delete:
                    if KeyTable.isMatchKey(key), key != "kSecMatchItemList", key != "kSecMatchSearchList" {
                        let isAll = site.query.variants.contains { $0.asksForMany == true }
                        let isMacBranch =
                            site.query.variants.contains(where: \.isFileBased)
                            || site.assumptions["#if os(macOS)"] == true
                        if isAll, isMac || isMacBranch || facts.platforms.contains(.macOS) { continue }
                        found(
                            key,
                            entry: entry,
                            message: isMac
                                ? "\(key) is ignored in a delete: every match is deleted"
                                : "\(key) in a delete is refused on iOS, and ignored on macOS: every match is deleted there",
                            severity: isMac ? .warning : .error
                        )
                    } else if KeyTable.isReturnKey(key), isCertain(key) {
                        found(key, entry: entry, message: "\(key) is ignored in a delete", severity: .warning)
                    }
                case .update:
                    if KeyTable.isMatchKey(key), key != "kSecMatchItemList", key != "kSecMatchSearchList" {
                        found(
                            key,
                            entry: entry,
                            message: "\(key) in the query of an update is refused on iOS",
                            severity: isMac ? .warning : .error
                        )
                    } else if KeyTable.isReturnKey(key), isCertain(key) {
                        found(
                            key,
                            entry: entry,
                            message: "\(key) in the query of an update is refused on iOS",
                            severity: isMac ? .warning : .error
                        )
                    }
                case .add:
                    if KeyTable.isMatchKey(key) {
                        found(key, entry: entry, message: "\(key) means nothing in an add", severity: .warning)
                    }
                case .copyMatching: break
                }
            }
            guard site.function == .update, let attributes = site.attributes else { return }
            for (key, entry) in site.entries(attributes) {
                let isRefused =
                    key == "kSecClass" || key == "kSecValueRef" || key == "kSecValuePersistentRef"
                    || KeyTable.isMatchKey(key)
                    || KeyTable.isReturnKey(key) || KeyTable.isUseKey(key)
                if isRefused {
                    found(
                        key,
                        entry: entry,
                        message: "\(key) in the attributes of an update is refused (errSecNoSuchAttr)"
                    )
                }
            }
        }
    )
}
