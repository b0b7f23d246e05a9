// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let accessControlErrorIgnored = Rule(
        "access-control-error-ignored",
        severity: .warning,
        confidence: .high,
        family: .accessControl,
        in: .sources,
        title: "The failure of making an access control is ignored",
        reason: """
            SecAccessControlCreateWithFlags fails, for instance when the flags contradict each other. With ! the \
            program stops; as an optional in a dictionary the item is stored without any protection, or the call \
            fails for reasons that nobody sees.
            """,
        remedy: "Unwrap it with guard let, and pass on the error that it gives.",
        flagged: """
            import Security
            func add(_ d: Data) -> OSStatus {
                var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecValueData: d]
                q[kSecAttrAccessControl] = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .userPresence, nil) as Any
                return SecItemAdd(q as CFDictionary, nil)
            }
            """,
        accepted: """
            import Security
            func make() throws -> SecKey? {
                var error: Unmanaged<CFError>?
                let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .privateKeyUsage, &error)
                if let error { throw error.takeRetainedValue() }
                return key(for: access!)
            }
            """,
        check: .function { facts, report in
            for (number, use) in facts.accessControls.enumerated() where use.depth == 0 {
                if let add = facts.sites.first(where: { $0.function == .add && $0.mayLack(number) }) {
                    report.add(
                        use.place,
                        "the item is added even if the access control cannot be made: without protection then",
                        related: [(add.rootCall, "it is added here")],
                        context: facts.name
                    )
                    continue
                }
                switch use.handling {
                case .forced:
                    report.add(
                        use.place,
                        "stops the program when the access control cannot be made",
                        context: facts.name
                    )
                case .optionalValue:
                    report.add(
                        use.place,
                        "puts an access control that may be nil into a dictionary: the item may be stored without protection",
                        context: facts.name
                    )
                case .unknown, .bound: continue
                }
            }
        }
    )
}

extension Site {
    /// Whether the query has an access control on one path, and none where making it failed.
    fileprivate func mayLack(_ control: Int) -> Bool {
        guard
            let having = query.variants.first(where: { variant in
                variant.value("kSecAttrAccessControl")?.alternatives.contains(.accessControl(control)) ?? false
            })
        else { return false }
        return query.variants.contains { variant in
            // Another protection in its place, or the absence of a wish for one, is a decision.
            !variant.isOpen && !variant.has("kSecAttrAccessControl") && !variant.has("kSecAttrAccessible")
                && !variant.assumptions.contains { having.assumptions[$0.key] == !$0.value }
        }
    }
}
