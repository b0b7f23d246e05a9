// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let itemNotFoundFatal = Rule(
        "item-not-found-fatal",
        severity: .warning,
        confidence: .medium,
        family: .results,
        title: "A missing item is a failure",
        reason: """
            That an item is not there is an ordinary answer. A delete has then done what was asked, and a read \
            happens before the first sign-in.
            """,
        remedy: "Accept errSecItemNotFound from a delete, and return nil from a read.",
        flagged: """
            import Security
            func forget() throws {
                guard SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) == errSecSuccess else { throw VaultError.deleteFailed }
            }
            """,
        accepted: """
            import Security
            func forget() throws {
                switch SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary) {
                case errSecSuccess, errSecItemNotFound: return
                case let s: throw KeychainStatus(s)
                }
            }
            """,
        check: .function { facts, report in
            for site in facts.sites where site.depth == 0 {
                for event in facts.events where event.depth == 0 {
                    let codes = event.codes[site.index] ?? .all
                    switch (site.function, event.kind) {
                    case (.delete, .thrown(let expression, let mentions))
                    where codes.contains(.notFound) && !codes.contains(.success) && codes.contains(.other):
                        let names = SyntaxWalk.expressions([Statement(.expression(expression), expression.range)])
                            .compactMap(\.lastName)
                        let keeps =
                            mentions.contains(site.index) || names.contains { $0.lowercased().contains("status") }
                        report.add(
                            site.reportPlace,
                            "fails when the item is not there: errSecItemNotFound from a delete is success",
                            severity: keeps ? .note : nil,
                            related: [(event.place, "the failure")],
                            context: site.context
                        )
                    case (.delete, .returned(.test(site.index, .success, _), _)):
                        report.add(
                            site.reportPlace,
                            "reports a failure when the item is not there: errSecItemNotFound from a delete is success",
                            context: site.context
                        )
                    case (.delete, .returned(.boolean(false), _))
                    where codes.contains(.notFound) && !codes.contains(.success) && codes.contains(.other):
                        report.add(
                            site.reportPlace,
                            "reports a failure when the item is not there: errSecItemNotFound from a delete is success",
                            related: [(event.place, "the failure")],
                            context: site.context
                        )
                    case (.copyMatching, .failure(let name))
                    where codes.contains(.notFound) && !codes.contains(.success):
                        report.add(
                            event.place,
                            "\(name) when the item is not there",
                            related: [(site.reportPlace, "the read")],
                            context: site.context
                        )
                    default: continue
                    }
                    break
                }
            }
        }
    )
}
