// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let missingDataProtectionKeychain = Rule(
        "missing-data-protection-keychain",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "A program for macOS does not say which keychain it means",
        reason: """
            Without kSecUseDataProtectionKeychain a native macOS program adds to the file-based keychain, which \
            has no protection classes and asks its user, and reads, updates and deletes in both.
            """,
        remedy: "Add kSecUseDataProtectionKeychain: true to the dictionary that all calls start from.",
        flagged: .mac(
            """
            import Security
            func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary, nil) == errSecSuccess }
            """
        ),
        accepted: .mac(
            """
            import Security
            func exists() -> Bool { SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecUseDataProtectionKeychain: true] as CFDictionary, nil) == errSecSuccess }
            """
        ),
        check: .site { site, facts, report in
            guard facts.platforms.contains(.macOS) else { return }
            let names = (facts.name + " " + (facts.typeName ?? "") + " " + (site.symbol?.function.name ?? ""))
                .lowercased()
            if ["legacy", "migrat", "filebased", "precatalina"].contains(where: { names.contains($0) }) { return }
            // A file that sets access lists intends the file-based keychain.
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

/// The meaning of compilation conditions for macOS.
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
        // The other branch of code that was built for macOS.
        return namesMac && !text.hasPrefix("!") && !text.contains("&&") && !text.contains("||")
    }
}
