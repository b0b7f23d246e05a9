// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let missingDataProtectionKeychain = Rule(
        "missing-data-protection-keychain",
        .warning,
        .high,
        .query,
        title: "A program for macOS does not say which keychain it means",
        reason: """
            Without kSecUseDataProtectionKeychain a native macOS program adds to the file-based keychain, which \
            has no protection classes and asks its user, and reads, updates and deletes in both.
            """,
        remedy: "Add kSecUseDataProtectionKeychain: true to the dictionary that all calls start from.",
        flagged: [
            .mac(
                """
                import Security
                func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
                """
            ),
            .mac(
                """
                import Security
                func forget() -> OSStatus {
                    var q: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
                    q[kSecAttrService as String] = "s"
                    q[kSecAttrAccount as String] = "a"
                    return SecItemDelete(q as CFDictionary)
                }
                """
            ),
            .mac(
                """
                import Security
                struct Vault {
                    var id: [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] }
                    func add(_ d: Data) -> OSStatus {
                        SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                    }
                }
                """
            ),
        ],
        accepted: [
            .mac(
                """
                import Security
                func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecUseDataProtectionKeychain: true] as CFDictionary, nil) == errSecSuccess }
                """
            ),
            .mac(
                """
                import Security
                func exists() -> Bool {
                    var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                    #if os(macOS)
                    q[kSecUseDataProtectionKeychain] = true
                    #endif
                    return SecItemCopyMatching(q as CFDictionary, nil) == errSecSuccess
                }
                """
            ),
            """
            import Security
            func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
            """,
            .mac(
                """
                import Security
                func legacyItem() -> OSStatus { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) }
                """
            ),
            // Every platform that is built for is one of the first two.
            .mac(
                """
                import Security
                func keep(_ d: Data, _ access: SecAccess) -> OSStatus {
                    var q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecValueData: d]
                    #if os(iOS)
                    q[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
                    #elseif os(macOS)
                    q[kSecAttrAccess] = access
                    #else
                    #error("another platform")
                    #endif
                    return SecItemAdd(q as CFDictionary, nil)
                }
                """
            ),
            Example([
                "Package.swift":
                    "// swift-tools-version: 6.0\nlet package = Package(name: \"App\", platforms: [.iOS(.v16), .macOS(.v13)])",
                "Sources/App/View.swift": """
                import UIKit
                let keychain: UIView? = nil
                """,
                "Sources/App/Vault.swift": """
                import Security
                func read() -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil)
                }
                """,
            ]),
        ],
        check: .site { site, facts, report in
            guard facts.platforms.contains(.macOS) else { return }
            let names = (facts.name + " " + (facts.typeName ?? "") + " " + (site.symbol?.function.name ?? ""))
                .lowercased()
            if ["legacy", "migrat", "filebased", "precatalina"].contains(where: { names.contains($0) }) { return }
            // A file that says who may use an item means the file-based keychain.
            if [
                "kSecAttrAccess]", "kSecAttrAccess ", "kSecAttrAccess:", "kSecUseKeychain", "kSecMatchSearchList",
                "SecKeychain",
            ]
            .contains(where: { !ByteSearch.occurrences(of: Array($0.utf8), in: facts.source.text).isEmpty }) {
                return
            }
            let excludesMac = site.assumptions.contains { condition, isTrue in
                condition.hasPrefix("#if ") && PlatformCondition.excludesMac(condition, isTrue)
            }
            if excludesMac { return }
            let lacking = site.query.variants.filter { variant in
                !variant.isOpen && !variant.has("kSecUseDataProtectionKeychain") && !variant.isFileBased
                    && !variant.has("kSecAttrAccessControl") && !variant.has("kSecAttrTokenID")
                    && !variant.isTrue("kSecAttrSynchronizable") && !variant.hasReference
                    && variant.value("kSecAttrAccessGroup") != .string("com.apple.token")
                    && !variant.assumptions.contains { PlatformCondition.excludesMac($0.key, $0.value) }
                    && !variant.assumptions.contains { $0.key.hasPrefix("#available") && !$0.value }
            }
            guard !lacking.isEmpty else { return }
            report.add(
                site.reportPlace,
                "on macOS this reaches the file-based keychain: kSecUseDataProtectionKeychain is not given",
                confidence: lacking.count == site.query.variants.count ? .high : .medium,
                related: site.originRelated,
                context: site.context
            )
        }
    )
}

/// What conditions of compilation say about macOS.
enum PlatformCondition {
    /// Whether code under a condition is not built for native macOS.
    static func excludesMac(_ condition: String, _ isTrue: Bool) -> Bool {
        guard condition.hasPrefix("#if ") else { return false }
        let text = condition.dropFirst(4).filter { $0 != " " }
        let namesMac = text.contains("os(macOS)") || text.contains("os(OSX)") || text.contains("canImport(AppKit)")
        if isTrue {
            if text.hasPrefix("!"), namesMac { return true }
            return !namesMac
                && [
                    "os(iOS)", "os(watchOS)", "os(tvOS)", "os(visionOS)", "canImport(UIKit)", "targetEnvironment",
                    "os(Linux)",
                ]
                .contains { text.contains($0) }
        }
        // The other branch of what was built for macOS.
        return namesMac && !text.hasPrefix("!") && !text.contains("&&") && !text.contains("||")
    }
}
