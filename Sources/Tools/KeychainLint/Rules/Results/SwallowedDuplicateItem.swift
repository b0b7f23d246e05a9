// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let swallowedDuplicateItem = Rule(
        "swallowed-duplicate-item",
        severity: .warning,
        confidence: .high,
        family: .results,
        title: "A duplicate passes for success",
        reason: """
            errSecDuplicateItem means that the old item is still there and the new secret was not stored.
            """,
        remedy: "Update the item when the add says errSecDuplicateItem.",
        flagged: """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                guard s == errSecSuccess || s == errSecDuplicateItem else { throw Failure(s) }
            }
            """,
        accepted: """
            import Security
            func save(_ id: [CFString: Any], _ d: Data) throws {
                var s = SecItemAdd(id.merging([kSecValueData: d]) { $1 } as CFDictionary, nil)
                if s == errSecDuplicateItem { s = SecItemUpdate(id as CFDictionary, [kSecValueData: d] as CFDictionary) }
                guard s == errSecSuccess else { throw Failure(s) }
            }
            """,
        check: .function { facts, report in
            for site in facts.sites where site.function == .add && site.isReported {
                if site.query.variants.contains(where: { $0.has("kSecValueRef") }) { continue }
                // A duplicate is handled: by a read that only a duplicate leads to.
                let isHandled = facts.sites.contains { later in
                    let codes = later.codes[site.index] ?? .all
                    return later.index > site.index && codes.contains(.duplicate)
                        && (later.function != .copyMatching || !codes.contains(.success))
                }
                if isHandled { continue }
                let isSwallowed = facts.events.contains { event in
                    guard event.depth == 0 else { return false }
                    let codes = event.codes[site.index] ?? .all
                    switch event.kind {
                    case .ended:
                        return codes.contains(.duplicate) && !codes.contains(.other)
                    case .returned(_, nil): return codes.contains(.duplicate) && !codes.contains(.other)
                    case .returned(let value, _):
                        switch value {
                        case .test(site.index, let yes, _):
                            return yes.isSuperset(of: [.success, .duplicate]) && !yes.contains(.other)
                        case .boolean(true): return codes.contains(.duplicate) && !codes.contains(.other)
                        case .boolean(false), .null, .status, .constant: return false
                        default: return codes.isSuperset(of: [.success, .duplicate]) && !codes.contains(.other)
                        }
                    default: return false
                    }
                }
                guard isSwallowed else { continue }
                report.add(
                    site.reportPlace,
                    "takes errSecDuplicateItem for success: the new secret was not stored",
                    context: site.context
                )
            }
        }
    )
}
