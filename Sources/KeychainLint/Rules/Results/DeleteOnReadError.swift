// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let deleteOnReadError = Rule(
        "delete-on-read-error",
        .error,
        .high,
        .results,
        title: "An item is deleted when it cannot be read",
        reason: """
            A delete works on a locked device where a read does not. What is deleted because it could not be \
            read was most often only locked.
            """,
        remedy: """
            Delete after errSecItemNotFound or after a failed decoding only; leave the item alone otherwise.
            """,
        flagged: [
            """
            import Security
            func check() {
                var r: CFTypeRef?
                if SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) != errSecSuccess {
                    let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                    print(s)
                }
            }
            """,
            """
            import Security
            struct Vault {
                func read() throws -> Data {
                    var r: CFTypeRef?
                    let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                    guard s == errSecSuccess, let d = r as? Data else { throw Failure(s) }
                    return d
                }
                func clear() { _ = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
                func start() {
                    do { use(try read()) } catch { clear() }
                }
            }
            """,
            """
            import Security
            struct Vault {
                var hasKey: Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
                func reset() { _ = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) }
                func start() { if !hasKey { reset() } }
            }
            """,
        ],
        accepted: [
            """
            import Security
            func check() throws {
                var r: CFTypeRef?
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                guard s == errSecSuccess else { throw Failure(s) }
                guard r is Data else {
                    let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                    print(s)
                    return
                }
            }
            """,
            """
            import Security
            func signOut() {
                let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                print(s)
            }
            """,
            """
            import Security
            func check() {
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil)
                if s == errSecItemNotFound { print(SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "old",
                    kSecAttrAccount: "a"] as CFDictionary)) }
            }
            """,
            """
            import Security
            func read() throws -> Data {
                var r: CFTypeRef?
                let s = SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                guard s == errSecSuccess, let data = r as? Data else { throw Failure(code: s) }
                return data
            }
            func load() throws -> Data? {
                do { return try read() } catch let failure as Failure where failure.code == errSecItemNotFound {
                    let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "rest"] as CFDictionary)
                    guard s == errSecSuccess || s == errSecItemNotFound else { throw Failure(code: s) }
                    return nil
                }
            }
            """,
        ],
        check: .function { facts, report in
            let transient: CodeSet = [.interactionNotAllowed, .authFailed, .userCanceled, .notAvailable]
            for found in facts.deletes(where: { read, codes in
                read.function == .copy && !codes.contains(.success) && !codes.isDisjoint(with: transient)
                    && !codes.isNamedOnly
            }) {
                report.add(
                    found.place,
                    "deletes because a read failed, also when the keychain is only locked",
                    related: [(found.cause.rootCall, "the read")],
                    context: found.delete.context
                )
            }
        }
    )
}
