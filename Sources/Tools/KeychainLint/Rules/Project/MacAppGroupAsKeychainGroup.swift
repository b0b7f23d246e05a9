// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let macAppGroupAsKeychainGroup = Rule(
        "mac-app-group-as-keychain-group",
        severity: .note,
        confidence: .medium,
        family: .project,
        in: .all,
        title: "An app group of macOS stands in for a keychain access group",
        reason: """
            On macOS an app group is also a keychain access group only where a provisioning profile allows it. A tool or \
            an app that is signed without one has the group for files alone, and the call fails with \
            errSecMissingEntitlement (-34018).
            """,
        remedy: "List a group of its own in keychain-access-groups, and name that one.",
        flagged: Example([
            "App/App.entitlements": PropertyListLines.entitlements(
                [],
                application: ["group.com.example.app"],
                more: "\n    <key>com.apple.security.app-sandbox</key>\n    <true/>"
            ),
            "App/Group.swift": reading("\"group.com.example.app\""),
        ]),
        accepted: Example([
            "App/App.entitlements": PropertyListLines.entitlements(
                ["$(AppIdentifierPrefix)com.example.app"],
                application: ["group.com.example.app"],
                more: "\n    <key>com.apple.security.app-sandbox</key>\n    <true/>"
            ),
            "App/Group.swift": reading("\"A1B2C3D4E5.com.example.app\""),
        ]),
        check: .project { project, report in
            let entitlements = project.entitlements
            let mac = entitlements.filter(\.isMac)
            let keychain = Set(entitlements.flatMap(\.groups).map { WrittenGroupName(text: $0.text).name })
            let application = Set(mac.flatMap(\.applicationGroups).map { WrittenGroupName(text: $0.text).name })
            for (site, facts) in project.sites where !facts.source.imports.contains("UIKit") {
                for (key, entry) in site.entries(site.query) where key == "kSecAttrAccessGroup" {
                    guard case .string(let text) = entry.value else { continue }
                    let isListed =
                        mac.count == entitlements.count && application.contains(WrittenGroupName(text: text).name)
                    let isTool =
                        entitlements.isEmpty && text.hasPrefix("group.") && facts.platforms.isMacOnly
                        && project.manifests.isInExecutable(facts.source.path)
                    guard isListed || isTool, !keychain.contains(WrittenGroupName(text: text).name) else { continue }
                    report.add(
                        entry.place,
                        in: facts.module,
                        "'\(text)' is an app group, which macOS takes as a keychain access group only with a profile",
                        context: text
                    )
                }
            }
        }
    )

    private static func reading(_ group: String) -> String {
        """
        import Security
        func read(_ r: inout CFTypeRef?) -> OSStatus {
            SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecUseDataProtectionKeychain: true, kSecAttrAccessGroup: \(group),
                kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
        }
        """
    }
}
