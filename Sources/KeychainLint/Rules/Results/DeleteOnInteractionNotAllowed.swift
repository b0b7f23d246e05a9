// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let deleteOnInteractionNotAllowed = Rule(
        "delete-on-interaction-not-allowed",
        .error,
        .high,
        .results,
        title: "An item is deleted because the device is locked",
        reason: """
            errSecInteractionNotAllowed means: not now. The item is there, and its secret is right; a delete \
            works all the same, and loses it.
            """,
        remedy: "Try again when the device is unlocked.",
        flagged: [
            """
            import Security
            func read() {
                var r: CFTypeRef?
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) {
                case errSecInteractionNotAllowed: print(SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary))
                default: break
                }
            }
            """,
            """
            import Security
            func read() {
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil)
                if s == -25308 { forget() }
            }
            func forget() { _ = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
            """
            import Security
            func update(_ d: Data) -> OSStatus {
                let s = SecItemUpdate([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, [kSecValueData: d] as CFDictionary)
                guard s == errSecInteractionNotAllowed || s == errSecAuthFailed else { return s }
                return SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
            }
            """,
        ],
        accepted: [
            """
            import Security
            func read() throws {
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) {
                case errSecInteractionNotAllowed: throw TryLater()
                default: break
                }
            }
            """,
            """
            import Security
            func read() {
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil)
                if s != errSecInteractionNotAllowed { print(s) }
            }
            """,
            """
            import Security
            func forget() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
            """,
        ],
        check: .function { facts, report in
            var reported: Set<Place> = []
            for site in facts.sites where site.function == .delete {
                for other in facts.sites.prefix(site.index) {
                    guard site.passed.contains(other.index), let codes = site.codes[other.index],
                        codes.contains(.interactionNotAllowed), codes.isNamedOnly
                    else {
                        continue
                    }
                    if site.depth > 0, other.depth > 0, site.rootCall == other.rootCall { continue }
                    let place = site.depth == 0 ? site.place : site.rootCall
                    guard reported.insert(place).inserted else { break }
                    report.add(
                        place,
                        "deletes the item because the keychain is locked",
                        related: [(other.rootCall, "the call that said so")],
                        context: site.context
                    )
                    break
                }
            }
        }
    )
}

extension CodeSet {
    /// Whether it is made of codes that the program names, not of all but some.
    var isNamedOnly: Bool { !contains(.other) }
}
