// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let deprecatedKeychainApi = Rule(
        "deprecated-keychain-api",
        severity: .note,
        confidence: .high,
        family: .query,
        title: "A deprecated name of the keychain is used",
        reason: """
            SecKeychain… is the file-based keychain of macOS; the other names were replaced, and go away one \
            day.
            """,
        remedy: """
            kSecUseOperationPrompt and kSecUseAuthenticationUI became properties of LAContext (localizedReason, \
            interactionNotAllowed), .touchIDAny became .biometryAny, .touchIDCurrentSet became \
            .biometryCurrentSet, SecKeyGeneratePair became SecKeyCreateRandomKey.
            """,
        flagged: """
            import Security
            func prompt(_ q: inout [CFString: Any]) { q[kSecUseOperationPrompt] = "Unlock" }
            """,
        accepted: """
            import Security
            func prompt(_ q: inout [CFString: Any], _ c: LAContext) { q[kSecUseAuthenticationContext] = c }
            """,
        check: .file(mentioning: ["kSecUse", "touchID", "SecKeychain", "SecKeyGeneratePair", "AccessibleAlways"]) {
            facts,
            report in
            let names: Set<String> = [
                "kSecUseOperationPrompt", "kSecUseNoAuthenticationUI", "kSecUseAuthenticationUI",
                "kSecUseAuthenticationUIAllow",
                "kSecUseAuthenticationUIFail", "kSecUseAuthenticationUISkip", "touchIDAny", "touchIDCurrentSet",
                "SecKeyGeneratePair",
                "kSecAttrAccessibleAlways", "kSecAttrAccessibleAlwaysThisDeviceOnly",
            ]
            var entries: [ByteRange] = []
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                switch expression.kind {
                case .dictionary(let elements): entries += elements.map(\.range)
                case .assign(let target, _): if case .index = target.kind { entries.append(expression.range) }
                case .name(let name), .member(_, let name):
                    let isOld =
                        names.contains(name) || (name.hasPrefix("SecKeychain") && name.count > 11 && isCall(name))
                    guard isOld, facts.module.types[name] == nil, facts.module.functions[name] == nil else { continue }
                    if name.hasPrefix("touchID"), case .name = expression.kind { continue }
                    // A finding about a key points at its entry.
                    let range = entries.last { $0.contains(expression.range) } ?? expression.range
                    report.add(Place(file: facts.file, range: range), "\(name) is deprecated", context: name)
                default: continue
                }
            }
        }
    )
}

/// Whether a name is one of the functions of the file-based keychain.
private func isCall(_ name: String) -> Bool {
    let rest = name.dropFirst("SecKeychain".count)
    return [
        "Open", "Create", "Copy", "Set", "Get", "Find", "Add", "Delete", "Lock", "Unlock", "Item", "Search",
        "Attribute",
    ].contains { rest.hasPrefix($0) }
}
