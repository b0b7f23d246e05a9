// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let accessGroupNotEntitled = Rule(
        "access-group-not-entitled",
        .error,
        .medium,
        .project,
        in: .all,
        title: "An access group is in no entitlements",
        reason: """
            A call that names a group which the program is not entitled to fails with errSecMissingEntitlement \
            (-34018).
            """,
        remedy: "Add the group to keychain-access-groups, or name one that is there.",
        flagged: [
            Example([
                "App/Group.swift": """
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: "A1B2C3D4E5.com.example.other", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
            Example([
                "App/Group.swift": """
                let group = "A1B2C3D4E5.com.example.old"
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: group, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)com.example.new</string>
                        <string>$(AppIdentifierPrefix)com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
            Example([
                "App/Group.swift": """
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: "group.com.example.b", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>com.apple.security.application-groups</key>
                    <array>
                        <string>group.com.example.a</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
        ],
        accepted: [
            Example([
                "App/Group.swift": """
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: "A1B2C3D4E5.com.example.shared", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
            Example([
                "App/Group.swift": """
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: "A1B2C3D4E5.com.example.other", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)$(BUNDLE_ID)</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
            Example([
                "App/Group.swift": """
                import Security
                func read(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                        kSecAttrAccessGroup: "group.com.example.a", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
                }
                """,
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>com.apple.security.application-groups</key>
                    <array>
                        <string>group.com.example.a</string>
                    </array>
                </dict>
                </plist>
                """,
            ]),
            """
            import Security
            func read(_ r: inout CFTypeRef?) -> OSStatus {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessGroup: "A1B2C3D4E5.com.example.other", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
            }
            """,
        ],
        check: .project { project, report in
            let entitlements = project.files.filter { $0.path.hasSuffix(".entitlements") }.map { PropertyListLines($0) }
            let keychain = entitlements.flatMap { $0.strings("keychain-access-groups") }.map(\.text)
            let apps = entitlements.flatMap { $0.strings("com.apple.security.application-groups") }.map(\.text)
            let all = keychain + apps
            guard !all.isEmpty else { return }
            // What stands for the prefix says nothing; any other variable could be the group.
            func plain(_ group: String) -> String {
                for prefix in [
                    "$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)", "${AppIdentifierPrefix}",
                    "${TeamIdentifierPrefix}",
                ]
                where group.hasPrefix(prefix) {
                    return String(group.dropFirst(prefix.count))
                }
                return withoutTeam(group)
            }
            let known = Set(all.map(plain))
            if known.contains(where: { $0.contains("$") || $0.contains("*") }) { return }
            for module in project.modules {
                for facts in module.functions where !facts.isTest {
                    for site in facts.reported {
                        for (key, entry) in site.entries(site.query) where key == "kSecAttrAccessGroup" {
                            guard case .string(let group) = entry.value, group != "com.apple.token" else { continue }
                            let name = withoutTeam(group)
                            guard name != group || group.hasPrefix("group."), !known.contains(name) else { continue }
                            // The application identifier is a group too.
                            let isBundle = project.files.contains { file in
                                (file.path.hasSuffix(".pbxproj") || file.path.hasSuffix(".xcconfig"))
                                    && file.text.contains(name)
                            }
                            if isBundle { continue }
                            let file = module.module.files[entry.place.file]
                            report.add(
                                path: file.path,
                                line: file.lines.line(entry.place.range.start),
                                column: file.lines.column(entry.place.range.start),
                                endLine: file.lines.line(entry.place.range.end),
                                "'\(group)' is in no entitlements of the project",
                                context: group
                            )
                        }
                    }
                }
            }
        }
    )
}

/// `com.example` of `A1B2C3D4E5.com.example`.
private func withoutTeam(_ group: String) -> String {
    let prefix = group.prefix { $0 != "." }
    guard prefix.count == 10, prefix.allSatisfy({ $0.isUppercase || $0.isNumber }) else { return group }
    return String(group.dropFirst(prefix.count + 1))
}
