// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let deleteOnInteractionNotAllowed = Rule(
        "delete-on-interaction-not-allowed",
        severity: .error,
        confidence: .high,
        family: .results,
        title: "An item is deleted because the device is locked",
        reason: """
            errSecInteractionNotAllowed means: not now. The item is there, and its secret is right; a delete \
            works all the same, and loses it.
            """,
        remedy: "Try again when the device is unlocked.",
        flagged: """
            import Security
            func read() {
                var r: CFTypeRef?
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) {
                case errSecInteractionNotAllowed: print(SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary))
                default: break
                }
            }
            """,
        accepted: """
            import Security
            func read() throws {
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) {
                case errSecInteractionNotAllowed: throw TryLater()
                default: break
                }
            }
            """,
        check: .function { facts, report in
            for found in facts.deletes(where: { _, codes in
                // "There, locked or not" is no deletion for being locked.
                codes.contains(.interactionNotAllowed) && codes.isNamedOnly && !codes.contains(.success)
            }) {
                report.add(
                    found.place,
                    "deletes the item because the keychain is locked",
                    related: [(found.cause.rootCall, "the call that said so")],
                    context: found.delete.context
                )
            }
        }
    )
}

extension CodeSet {
    /// Whether it contains only codes that the program names, rather than all except some.
    var isNamedOnly: Bool { !contains(.other) }
}

extension FunctionFacts {
    /// Deletes that depend on the status of an earlier call.
    ///
    /// - Parameter leads: Whether to include a delete that is reached with these codes of a call.
    /// - Returns: The reported place, the delete, and the call whose status leads to it.
    func deletes(where leads: (Site, CodeSet) -> Bool) -> [(place: Place, delete: Site, cause: Site)] {
        var reported: Set<Place> = []
        var result: [(place: Place, delete: Site, cause: Site)] = []
        for site in sites where site.function == .delete {
            for cause in sites.prefix(site.index) {
                guard site.passed.contains(cause.index), let codes = site.codes[cause.index], leads(cause, codes),
                    // Otherwise all of it is in a helper, which is analysed separately.
                    site.depth == 0 || cause.depth == 0 || site.rootCall != cause.rootCall
                else { continue }
                let place = site.depth == 0 ? site.place : site.rootCall
                if reported.insert(place).inserted { result.append((place, site, cause)) }
                break
            }
        }
        return result
    }
}
