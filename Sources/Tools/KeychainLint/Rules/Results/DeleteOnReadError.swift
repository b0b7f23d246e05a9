// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let deleteOnReadError = Rule(
        "delete-on-read-error",
        severity: .error,
        confidence: .high,
        family: .results,
        title: "An item is deleted when it cannot be read",
        reason: """
            A delete works on a locked device where a read does not. What is deleted because it could not be \
            read was most often only locked.
            """,
        remedy: """
            Delete after errSecItemNotFound or after a failed decoding only; leave the item alone otherwise.
            """,
        flagged: """
            import Security
            func check() {
                var r: CFTypeRef?
                if SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) != errSecSuccess {
                    let s = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
                    print(s)
                }
            }
            """,
        accepted: """
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
        check: .function { facts, report in
            let transient: CodeSet = [.interactionNotAllowed, .authFailed, .userCanceled, .notAvailable]
            for found in facts.deletes(where: { read, codes in
                read.function == .copyMatching && !codes.contains(.success) && !codes.isDisjoint(with: transient)
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
