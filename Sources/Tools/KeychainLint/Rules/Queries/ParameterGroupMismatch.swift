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
                    fix: site.isOnlyUse(in: facts) && entry.depth == 0
                        ? EntryEdit.removal(entry.place, facts.module, title: "take \(key) out") : nil,
                    context: site.context + key
                )
            }
            let isMac = facts.platforms.isMacOnly
            // What no path of the program gives is not there.
            let variants = site.query.variants.filter { !facts.module.excludes($0.assumptions) }
            guard !variants.isEmpty else { return }
            var site = site
            site.query.variants = variants
            /// A key that only some paths give is no certain error.
            func level(_ key: String) -> Severity { variants.allSatisfy { $0.has(key) } ? .error : .warning }
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
                            severity: isMac ? .warning : level(key)
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
                            severity: isMac ? .warning : level(key)
                        )
                    } else if KeyTable.isReturnKey(key), isCertain(key) {
                        found(
                            key,
                            entry: entry,
                            message: "\(key) in the query of an update is refused on iOS",
                            severity: isMac ? .warning : level(key)
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
                    || KeyTable.isReturnKey(key)
                    // The choice of the keychain is read, and ignored, in attributes too.
                    || (KeyTable.isUseKey(key) && key != "kSecUseDataProtectionKeychain")
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

extension Module {
    /// Whether assumptions of a path never hold: that a value is given which nothing in the module gives.
    func excludes(_ assumptions: [String: Bool]) -> Bool {
        assumptions.contains { text, isTrue in
            guard isTrue, text.hasSuffix(" != nil") else { return false }
            let path = text.dropLast(" != nil".count).split(separator: ".")
            // A member of a parameter: an option in a structure.
            guard path.count > 1, path[0] != "self", let name = path.last,
                name.allSatisfy({ $0.isLetter || $0.isNumber })
            else { return false }
            return optionalStored(String(name)) && !isGiven(String(name))
        }
    }

    /// Whether a member is an optional variable of a type of the module, without a value of its own.
    private func optionalStored(_ name: String) -> Bool {
        guard let found = properties[name], !found.isEmpty else { return false }
        return found.allSatisfy {
            ($0.binding.type?.hasSuffix("?") ?? false) && $0.binding.getter == nil
                && ($0.binding.value.map { if case .null = $0.kind { true } else { false } } ?? true)
        }
    }

    /// Whether an argument or an assignment of that name gives a value anywhere.
    private func isGiven(_ name: String) -> Bool {
        let word = Array(name.utf8)
        return files.contains { file in
            guard !ByteSearch.occurrences(of: word, in: file.text).isEmpty else { return false }
            return SyntaxWalk.expressions(file.tree.statements).contains { expression in
                switch expression.kind {
                case .call(_, let arguments):
                    arguments.contains { argument in
                        guard argument.label == name else { return false }
                        if case .null = argument.value.kind { return false }
                        return true
                    }
                case .assign(let target, let value):
                    if case .member(_, name) = target.kind {
                        if case .null = value.kind { false } else { true }
                    } else {
                        false
                    }
                case .member(nil, name): true
                default: false
                }
            }
        }
    }
}
