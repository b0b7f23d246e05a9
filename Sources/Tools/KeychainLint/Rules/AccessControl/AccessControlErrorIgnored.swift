// SPDX-License-Identifier: Apache-2.0

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
            for use in facts.accessControls where use.depth == 0 {
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
