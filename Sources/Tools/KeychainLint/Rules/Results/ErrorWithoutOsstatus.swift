// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let errorWithoutOsstatus = Rule(
        "error-without-osstatus",
        severity: .warning,
        confidence: .high,
        family: .results,
        title: "An error hides the status",
        reason: """
            "Could not save" helps nobody: only the status tells a locked device from a missing entitlement or a \
            duplicate.
            """,
        remedy: "Give the error an associated OSStatus.",
        flagged: """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                guard s == errSecSuccess else { throw VaultError.saveFailed }
            }
            """,
        accepted: """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                guard s == errSecSuccess else { throw VaultError.saveFailed(s) }
            }
            """,
        check: .function { facts, report in
            for event in facts.events where event.depth == 0 {
                let thrown: Expression
                var mentions: Set<Int> = []
                switch event.kind {
                case .thrown(let expression, let found):
                    thrown = expression
                    mentions = found
                case .returned(_, let expression?):
                    guard case .call(let callee, let arguments) = expression.kind, callee.lastName == "failure",
                        let first = arguments.first
                    else { continue }
                    thrown = first.value
                default: continue
                }
                let failed = facts.sites.filter { site in
                    guard site.depth == 0 || site.isReported, let codes = event.codes[site.index] else { return false }
                    return !codes.contains(.success) && codes.contains(.other)
                }
                guard let site = failed.last, mentions.isDisjoint(with: failed.map(\.index)) else { continue }
                // The error is rethrown, or was created from the status before.
                if case .name = thrown.kind { continue }
                let names = SyntaxWalk.expressions([Statement(.expression(thrown), thrown.range)]).compactMap(
                    \.lastName
                )
                let variable = site.statusVariable
                if names.contains(where: { $0 == variable || $0.lowercased().contains("status") || $0 == "errorCode" })
                {
                    continue
                }
                let isLogged = facts.events.contains { other in
                    guard case .call(let call) = other.kind, other.codes == event.codes, other.depth == 0, let variable
                    else {
                        return false
                    }
                    return call.arguments.contains { facts.source.text($0.value.range).contains(variable) }
                }
                report.add(
                    event.place,
                    "the error does not say which status \(site.function.rawValue) returned",
                    severity: isLogged ? .note : nil,
                    confidence: isLogged ? .medium : nil,
                    related: [(site.place, "the call")],
                    context: facts.name
                )
            }
        }
    )
}
