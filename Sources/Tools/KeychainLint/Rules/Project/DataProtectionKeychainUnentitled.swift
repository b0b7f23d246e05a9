// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let dataProtectionKeychainUnentitled = Rule(
        "data-protection-keychain-unentitled",
        severity: .warning,
        confidence: .medium,
        family: .project,
        in: .all,
        title: "A program for macOS asks for the data protection keychain without an entitlement for it",
        reason: """
            The data protection keychain tells programs apart by their entitlements. A program for macOS that has neither \
            an application identifier nor an access group is refused with errSecMissingEntitlement (-34018).
            """,
        remedy: """
            Add the Keychain Sharing capability, which lists keychain-access-groups, and sign with a provisioning profile. \
            A command-line tool needs an app bundle around it for that; without one, leave the flag out.
            """,
        flagged: Example([
            "App.xcodeproj/project.pbxproj": project,
            "App/App.entitlements": PropertyListLines.entitlements(
                [],
                more: "\n    <key>com.apple.security.app-sandbox</key>\n    <true/>"
            ),
            "App/Vault.swift": reading("true"),
        ]),
        accepted: Example([
            "App.xcodeproj/project.pbxproj": project,
            "App/App.entitlements": PropertyListLines.entitlements(["$(AppIdentifierPrefix)com.example.app"]),
            "App/Vault.swift": reading("true"),
        ]),
        check: .project { project, report in
            let entitlements = project.entitlements
            func lacks(_ path: String, _ facts: FunctionFacts) -> Bool {
                if project.manifests.isInExecutable(path) {
                    return facts.platforms.contains(.unentitled)
                }
                return project.xcodeProjects.contains { xcode in
                    let owners = xcode.targets.filter { $0.isMac && $0.compiles(path) }
                    return owners.contains { xcode.lacksKeychainEntitlement($0, entitlements) }
                }
            }
            var seen: Set<Place> = []
            for (site, facts) in project.sites {
                for (key, entry) in site.entries(site.query) where key == "kSecUseDataProtectionKeychain" {
                    guard [.boolean(true), .constant("kCFBooleanTrue")].contains(entry.value),
                        seen.insert(entry.place).inserted, lacks(facts.source.path, facts)
                    else { continue }
                    report.add(
                        entry.place,
                        in: facts.module,
                        "the program has no application identifier and no access group: -34018",
                        context: facts.name
                    )
                }
            }
        }
    )

    private static func reading(_ flag: String) -> String {
        """
        import Security
        func read(_ r: inout CFTypeRef?) -> OSStatus {
            SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                kSecUseDataProtectionKeychain: \(flag),
                kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
        }
        """
    }
}

extension XcodeProject {
    /// Whether no configuration of a program is entitled to the data protection keychain, as far as is known.
    fileprivate func lacksKeychainEntitlement(_ target: Target, _ entitlements: [EntitlementsText]) -> Bool {
        guard target.isApplication || target.isExtension || target.productType == "com.apple.product-type.tool",
            !target.isIOS, !target.configurations.isEmpty
        else { return false }
        return target.configurations.allSatisfy { configuration in
            guard let path = entitlementsPath(configuration) else {
                // An unresolved setting may name any file.
                return (configuration.settings["CODE_SIGN_ENTITLEMENTS"] ?? "").isEmpty && !configuration.isIncomplete
            }
            guard let file = entitlements.first(where: { $0.path == path }) else { return false }
            return !file.opensDataProtectionKeychain
        }
    }
}

/// An app with entitlements, for the examples.
private let project = Rule.Example.project(
    ["SDKROOT": "macosx"],
    .init(
        "App",
        type: "application",
        sources: ["Vault.swift"],
        settings: ["Release": ["CODE_SIGN_ENTITLEMENTS": "App/App.entitlements"]]
    )
)
