// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        check: .module { all, report in
            // One decision for a program: the first call stands for all.
            var first: [String: (site: Site, facts: FunctionFacts, isCertain: Bool)] = [:]
            var others: [String: [Site]] = [:]
            for facts in all.functions where !facts.isTest {
                for site in facts.reported {
                    guard let lacking = lacking(site, facts) else { continue }
                    let folder = facts.source.path.split(separator: "/").dropLast().prefix(2).joined(separator: "/")
                    if first[folder] == nil {
                        first[folder] = (site, facts, lacking.count == site.query.variants.count)
                    } else {
                        others[folder, default: []].append(site)
                    }
                }
            }
            for (folder, found) in first.sorted(by: { $0.key < $1.key }) {
                let isMinimum = found.facts.platforms.contains(.minimum)
                report.add(
                    found.site.reportPlace,
                    "on macOS this reaches the file-based keychain: kSecUseDataProtectionKeychain is not given",
                    severity: isMinimum ? .note : nil,
                    confidence: found.isCertain && !isMinimum ? .high : .medium,
                    related: found.site.originRelated
                        + (others[folder] ?? []).prefix(8).map { ($0.reportPlace, "here too") },
                    context: found.site.context
                )
            }
        }
    )

    /// The ways of building a query that lack the flag, if the program should give it.
    private static func lacking(_ site: Site, _ facts: FunctionFacts) -> [AbstractDictionary.Variant]? {
        // A program that cannot have the entitlement is told by another rule to leave the flag out.
        guard facts.platforms.contains(.macOS), !facts.platforms.contains(.unentitled) else { return nil }
        if LegacyNames.areMeant(site, facts) { return nil }
        // A file that sets access lists intends the file-based keychain.
        let fileBased = [
            "kSecAttrAccess]", "kSecAttrAccess ", "kSecAttrAccess:", "kSecUseKeychain", "kSecMatchSearchList",
            "SecKeychain",
        ]
        if fileBased.contains(where: { !ByteSearch.occurrences(of: Array($0.utf8), in: facts.source.text).isEmpty }) {
            return nil
        }
        let excludesMac = site.assumptions.contains { condition, isTrue in
            condition.hasPrefix("#if ") && PlatformCondition.excludesMac(condition, isTrue)
        }
        if excludesMac { return nil }
        let result = site.query.variants.filter { variant in
            !variant.isOpen && !variant.has("kSecUseDataProtectionKeychain") && !variant.isFileBased
                && !variant.has("kSecAttrAccessControl") && !variant.has("kSecAttrTokenID")
                && !variant.isTrue("kSecAttrSynchronizable") && !variant.hasReference
                && variant.value("kSecAttrAccessGroup") != .string("com.apple.token")
                && !variant.assumptions.contains { PlatformCondition.excludesMac($0.key, $0.value) }
                && !variant.assumptions.contains { $0.key.hasPrefix("#available") && !$0.value }
        }
        return result.isEmpty ? nil : result
    }
}

/// What authors call code that is for the file-based keychain.
private enum LegacyNames {
    private static let words = ["legacy", "migrat", "filebased", "file-based", "precatalina", "login keychain"]

    static func areMeant(_ site: Site, _ facts: FunctionFacts) -> Bool {
        let names = [facts.name, facts.typeName ?? "", site.symbol?.function.name ?? "", site.queryName ?? ""]
        let comments = [site.query.origin, site.place].compactMap(\.self).map { place in
            let file = facts.module.files[place.file]
            return comment(above: file.lines.line(place.range.start), in: file)
        }
        let text = (names + comments).joined(separator: " ").lowercased()
        return words.contains { text.contains($0) }
    }

    /// The comments on the lines directly above a line, and at its end.
    private static func comment(above line: Int, in file: SourceFile) -> String {
        func text(_ line: Int) -> String {
            file.text(ByteRange(file.lines.start(ofLine: line), file.lines.start(ofLine: line + 1)))
        }
        var result = text(line).components(separatedBy: "//").dropFirst().joined()
        var above = line - 1
        while above > 0, above > line - 6 {
            let content = text(above).drop { $0 == " " || $0 == "\t" }
            guard content.hasPrefix("//") else { break }
            result += " " + content
            above -= 1
        }
        return result
    }
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
