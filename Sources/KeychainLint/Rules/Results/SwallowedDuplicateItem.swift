// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let swallowedDuplicateItem = Rule(
        "swallowed-duplicate-item",
        .warning,
        .high,
        .results,
        title: "A duplicate passes for success",
        reason: """
            errSecDuplicateItem means that the old item is still there and the new secret was not stored.
            """,
        remedy: "Update the item when the add says errSecDuplicateItem.",
        flagged: [
            """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                guard s == errSecSuccess || s == errSecDuplicateItem else { throw Failure(s) }
            }
            """,
            """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                switch s {
                case errSecSuccess: break
                case errSecDuplicateItem: print("already there")
                default: throw Failure(s)
                }
            }
            """,
            """
            import Security
            func save(_ q: NSDictionary) -> Bool {
                let s = SecItemAdd(q, nil)
                return s == errSecSuccess || s == errSecDuplicateItem
            }
            """,
            """
            import Security
            struct Store {
                func items(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s",
                        kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll] as CFDictionary, &r)
                }
                func save(_ d: Data, _ a: String) throws {
                    let s = SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: a,
                        kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
                    if s != errSecSuccess && s != errSecDuplicateItem { throw Failure(s) }
                    var r: CFTypeRef?
                    print(items(&r))
                }
            }
            """,
        ],
        accepted: [
            """
            import Security
            func save(_ id: [CFString: Any], _ d: Data) throws {
                var s = SecItemAdd(id.merging([kSecValueData: d]) { $1 } as CFDictionary, nil)
                if s == errSecDuplicateItem { s = SecItemUpdate(id as CFDictionary, [kSecValueData: d] as CFDictionary) }
                guard s == errSecSuccess else { throw Failure(s) }
            }
            """,
            """
            import Security
            func save(_ q: [CFString: Any]) throws {
                let s = SecItemAdd(q as CFDictionary, nil)
                guard s != errSecDuplicateItem else { throw Taken() }
                guard s == errSecSuccess else { throw Failure(s) }
            }
            """,
            """
            import Security
            func keep(_ certificate: SecCertificate) throws {
                let s = SecItemAdd([kSecClass: kSecClassCertificate, kSecValueRef: certificate] as CFDictionary, nil)
                guard s == errSecSuccess || s == errSecDuplicateItem else { throw Failure(s) }
            }
            """,
        ],
        check: .function { facts, report in
            for site in facts.sites where site.function == .add && site.isReported {
                if site.query.variants.contains(where: { $0.has("kSecValueRef") }) { continue }
                // Something is done about a duplicate: a read does, where only a duplicate leads to it.
                let isHandled = facts.sites.contains { later in
                    let codes = later.codes[site.index] ?? .all
                    return later.index > site.index && codes.contains(.duplicate)
                        && (later.function != .copy || !codes.contains(.success))
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
