// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let readErrorCollapsed = Rule(
        "read-error-collapsed",
        severity: .note,
        confidence: .medium,
        family: .results,
        title: "\"Locked\" and \"not there\" look the same",
        reason: """
            A read that returns nil for every failure hides errSecInteractionNotAllowed behind \
            errSecItemNotFound: callers then sign people out, or overwrite what is only locked.
            """,
        remedy: "Return nil for errSecItemNotFound only, and throw everything else.",
        flagged: """
            import Security
            func token() -> Data? {
                var r: CFTypeRef?
                guard SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) == errSecSuccess else { return nil }
                return r as? Data
            }
            """,
        accepted: """
            import Security
            func token() throws -> Data? {
                var r: CFTypeRef?
                switch SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r) {
                case errSecSuccess: return r as? Data
                case errSecItemNotFound: return nil
                case let s: throw Failure(s)
                }
            }
            """,
        check: .module { all, report in
            // Reads that background code reaches: there a locked keychain is normal.
            let background = Set(
                all.functions.filter { BackgroundRoot.reason($0) != nil }.flatMap(\.sites).map(\.place)
            )
            for facts in all.functions where !facts.isTest {
                let name = facts.name.lowercased()
                if name.hasPrefix("try") || name.contains("peek") { continue }
                let meansSignedOut = ["signedin", "loggedin", "isauthenticated", "hassession"].contains {
                    name.contains($0)
                }
                for site in facts.sites
                where site.function == .copyMatching && site.depth == 0 && collapses(site, facts) {
                    report.add(
                        site.reportPlace,
                        "answers the same for a locked keychain as for an item that is not there",
                        severity: meansSignedOut || background.contains(site.place) ? .warning : nil,
                        context: site.context
                    )
                }
            }
        }
    )

    /// Whether a function that reads the status returns a value after a success, and only then.
    private static func answersOnlySuccess(_ site: Site, _ facts: FunctionFacts) -> Bool {
        site.isStatusRead
            && facts.events.contains { event in
                guard event.depth == 0, case .returned(let value, _?) = event.kind, !value.isNull,
                    let codes = event.codes[site.index]
                else { return false }
                return codes == .success
            }
    }

    /// Whether a function returns the same for a locked keychain and for a missing item.
    private static func collapses(_ site: Site, _ facts: FunctionFacts) -> Bool {
        // The codes for each returned value: two returns of nil count as one.
        var answers: [Value: CodeSet] = [:]
        for event in facts.events where event.depth == 0 {
            guard case .returned(let value, _) = event.kind else { continue }
            switch value {
            case .test(site.index, _, let no): answers[.boolean(false), default: []].formUnion(no)
            case .null, .boolean(false), .array([]), .string(""):
                // After a success, it is the result that cannot be read.
                guard let codes = event.codes[site.index], !codes.contains(.success) || answersOnlySuccess(site, facts)
                else { continue }
                answers[value, default: []].formUnion(codes)
            default: continue
            }
        }
        // A guard with more conditions than the status.
        let both: CodeSet = [.interactionNotAllowed, .notFound]
        return answers.values.contains { $0.isSuperset(of: both) }
    }
}
