// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let accessibleAlways = Rule(
        "accessible-always",
        severity: .error,
        confidence: .high,
        family: .query,
        title: "A secret is readable while the device is locked",
        reason: """
            kSecAttrAccessibleAlways and kSecAttrAccessibleAlwaysThisDeviceOnly are deprecated: they keep an item readable \
            from boot on, without anybody ever having unlocked the device.
            """,
        remedy: "Use kSecAttrAccessibleAfterFirstUnlock, or kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly.",
        flagged: """
            import Security
            func query() -> [String: Any] {
                var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
                q[kSecAttrAccessible as String] = kSecAttrAccessibleAlways
                return q
            }
            """,
        accepted: """
            import Security
            func query() -> [String: Any] { [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock] }
            """,
        check: .file(mentioning: ["AccessibleAlways", ".always", "accessibleAlways"]) { facts, report in
            let weak: Set<String> = ["kSecAttrAccessibleAlways", "kSecAttrAccessibleAlwaysThisDeviceOnly"]
            func found(_ value: Expression, _ range: ByteRange) {
                guard let name = value.bare.lastName, weak.contains(name) else { return }
                report.add(
                    Place(file: facts.file, range: range),
                    "\(name) leaves the item readable while the device is locked",
                    context: name
                )
            }
            // A dictionary that maps levels to constants only names them.
            func isAccessibleKey(_ key: Expression) -> Bool {
                guard let name = key.bare.lastName else { return key.literalText == "pdmn" }
                return !name.hasPrefix("kSecAttrAccessible") || name == "kSecAttrAccessible"
            }
            for expression in SyntaxWalk.expressions(facts.source.tree.statements) {
                switch expression.kind {
                case .dictionary(let elements):
                    for element in elements
                    where isAccessibleKey(element.key) && element.key.bare.lastName?.first != "." {
                        if case .member(nil, _) = element.key.kind { continue }
                        found(element.value, element.range)
                    }
                case .assign(let target, let value):
                    if case .index(_, let keys) = target.kind, keys.count == 1, isAccessibleKey(keys[0].value) {
                        found(value, expression.range)
                    }
                case .call(let callee, let arguments)
                where callee.lastName == "SecAccessControlCreateWithFlags" && arguments.count > 1:
                    found(arguments[1].value, expression.range)
                case .call(let callee, let arguments) where WrapperLevels.isKnown(facts.source.imports):
                    for level in WrapperLevels.always(in: arguments, of: callee) {
                        report.add(
                            Place(file: facts.file, range: level.range),
                            ".\(level.lastName ?? "") leaves the item readable while the device is locked",
                            context: level.lastName ?? ""
                        )
                    }
                default: break
                }
            }
        }
    )
}

/// The protection classes of well-known wrappers of the keychain.
private enum WrapperLevels {
    private static let modules: Set<String> = [
        "KeychainAccess", "Valet", "SwiftKeychainWrapper", "KeychainSwift", "Locksmith", "SAMKeychain",
    ]
    private static let names: Set<String> = [
        "always", "alwaysThisDeviceOnly", "accessibleAlways", "accessibleAlwaysThisDeviceOnly",
    ]

    static func isKnown(_ imports: Set<String>) -> Bool { !imports.isDisjoint(with: modules) }

    /// `.accessibility(.always)`, `accessibility: .always`, `withAccess: .accessibleAlways`.
    static func always(in arguments: [CallArgument], of callee: Expression) -> [Expression] {
        arguments.filter { argument in
            let label = argument.label?.lowercased() ?? (callee.lastName ?? "").lowercased()
            guard label.contains("access") else { return false }
            return argument.value.lastName.map(names.contains) ?? false
        }.map(\.value)
    }
}
