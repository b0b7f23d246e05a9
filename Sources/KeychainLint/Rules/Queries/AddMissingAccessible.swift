// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let addMissingAccessible = Rule(
        "add-missing-accessible",
        .warning,
        .high,
        .query,
        title: "An item is added without a protection class",
        reason: """
            Without kSecAttrAccessible or kSecAttrAccessControl an item gets kSecAttrAccessibleWhenUnlocked. Every read while \
            the device is locked then fails with errSecInteractionNotAllowed (-25308), and nobody decided that.
            """,
        remedy: """
            Say when the item is needed: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly for background work, else \
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly. Decide when you add; changing it later needs an unlocked device.
            """,
        flagged: [
            """
            import Security
            func store(_ secret: Data, user: String) throws {
                let status = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail",
                    kSecAttrAccount: user, kSecValueData: secret] as NSDictionary, nil)
                guard status == errSecSuccess else { throw Failure(status) }
            }
            """,
            """
            import Security
            struct Vault {
                let service = "vault"
                private func base(_ account: String) -> [String: Any] {
                    [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                     kSecAttrAccount as String: account]
                }
                func set(_ data: Data, _ account: String) -> OSStatus {
                    var query = base(account)
                    query[kSecValueData as String] = data
                    return SecItemAdd(query as CFDictionary, nil)
                }
            }
            """,
            """
            import Security
            func keep(_ data: Data, level: CFString? = nil) -> OSStatus {
                let query = NSMutableDictionary()
                query[kSecClass] = kSecClassInternetPassword
                query[kSecAttrServer] = "example.com"
                query[kSecAttrAccount] = "ada"
                query.setObject(data, forKey: kSecValueData as NSString)
                if let level { query[kSecAttrAccessible] = level }
                return SecItemAdd(query, nil)
            }
            """,
            """
            import Security
            private func insert(_ query: [String: Any]) -> OSStatus { SecItemAdd(query as CFDictionary, nil) }
            func save(_ secret: Data) -> OSStatus {
                insert(["class": "genp", "svce": "mail", "acct": "ada", "v_Data": secret])
            }
            """,
        ],
        accepted: [
            """
            import Security
            func store(_ secret: Data, user: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail", kSecAttrAccount: user,
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                    kSecValueData: secret] as NSDictionary, nil)
            }
            """,
            """
            import Security
            func add(_ query: [String: Any]) -> OSStatus { SecItemAdd(query as CFDictionary, nil) }
            """,
            """
            import Security
            struct Vault {
                func base() -> [String: Any] {
                    [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                     kSecAttrAccount as String: "a"]
                }
                func set(_ data: Data, _ acl: SecAccessControl?) -> OSStatus {
                    var query = base()
                    if let acl {
                        query[kSecAttrAccessControl as String] = acl
                    } else {
                        query[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
                    }
                    let extra: [String: Any] = [kSecValueData as String: data]
                    for (key, value) in extra { query[key] = value }
                    return SecItemAdd(query as CFDictionary, nil)
                }
            }
            """,
            """
            import Security
            func keep(_ data: Data) -> OSStatus {
                var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                query.merge([kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 }
                return SecItemAdd(query as CFDictionary, nil)
            }
            """,
        ],
        check: .site { site, facts, report in
            guard site.function == .add else { return }
            let lacking = site.closed.filter { variant in
                !variant.has("kSecAttrAccessible") && !variant.has("kSecAttrAccessControl") && !variant.isFileBased
                    && !(variant.has("kSecValueRef") && variant.itemClass != .key)
                    && !variant.has("kSecUseKeychain")
            }
            guard !lacking.isEmpty else { return }
            let isAlways = lacking.count == site.query.variants.count
            report.add(
                site.reportPlace,
                isAlways
                    ? "adds an item without kSecAttrAccessible: it gets kSecAttrAccessibleWhenUnlocked"
                    : "may add an item without kSecAttrAccessible: it then gets kSecAttrAccessibleWhenUnlocked",
                severity: lacking.allSatisfy(\.hasPublicKey) ? .note : nil,
                confidence: isAlways ? .high : .medium,
                related: site.originRelated,
                context: site.context
            )
        }
    )
}

extension AbstractDictionary.Variant {
    /// Whether the item is a public key that is given by reference or by data: no secret.
    fileprivate var hasPublicKey: Bool {
        value("kSecAttrKeyClass") == .constant("kSecAttrKeyClassPublic")
            || value("kSecValueRef")?.identityText?.lowercased().contains("publickey") == true
    }
}
