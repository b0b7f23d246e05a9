// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let entitlementGroupMissingPrefix = Rule(
        "entitlement-group-missing-prefix",
        .error,
        .high,
        .project,
        in: .all,
        title: "A group of the entitlements lacks its prefix, or has one too many",
        reason: """
            A keychain access group begins with the prefix that Xcode puts in for $(AppIdentifierPrefix); \
            without it no provisioning profile allows it. An app group of iOS begins with group. and has no such \
            prefix.
            """,
        remedy: """
            Write $(AppIdentifierPrefix)com.example.shared for keychain groups, group.com.example for app \
            groups.
            """,
        flagged: [
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>group.shared</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>com.apple.security.application-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)group.com.example</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
        ],
        accepted: [
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(AppIdentifierPrefix)com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>A1B2C3D4E5.com.example.shared</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>com.apple.security.application-groups</key>
                    <array>
                        <string>group.com.example</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
            Example([
                "App/App.entitlements": """
                <plist version="1.0">
                <dict>
                    <key>keychain-access-groups</key>
                    <array>
                        <string>$(KEYCHAIN_GROUP)</string>
                    </array>
                </dict>
                </plist>
                """
            ]),
        ],
        check: .project { project, report in
            for file in project.files where file.path.hasSuffix(".entitlements") {
                let list = PropertyListLines(file)
                for (text, line) in list.strings("keychain-access-groups") {
                    let prefix = text.prefix { $0 != "." }
                    let isTeam = prefix.count == 10 && prefix.allSatisfy { $0.isUppercase || $0.isNumber }
                    if text.hasPrefix("$(") || text.hasPrefix("${") || isTeam || text == "com.apple.token"
                        || text.hasPrefix("*")
                    {
                        continue
                    }
                    report.add(path: file.path, line: line, "'\(text)' has no $(AppIdentifierPrefix)", context: text)
                }
                let isMac = list.has("com.apple.security.app-sandbox") || list.has("com.apple.security.cs.allow-jit")
                for (text, line) in list.strings("com.apple.security.application-groups") where !isMac {
                    let isPrefixed =
                        text.hasPrefix("$(AppIdentifierPrefix)") || text.hasPrefix("$(TeamIdentifierPrefix)")
                    let isPlain = !text.hasPrefix("group.") && !text.hasPrefix("$")
                    guard isPrefixed || isPlain else { continue }
                    report.add(
                        path: file.path,
                        line: line,
                        isPrefixed
                            ? "an app group has no prefix: '\(text)'" : "an app group begins with 'group.': '\(text)'",
                        context: text
                    )
                }
            }
        }
    )
}
