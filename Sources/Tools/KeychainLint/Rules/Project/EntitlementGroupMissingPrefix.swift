// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let entitlementGroupMissingPrefix = Rule(
        "entitlement-group-missing-prefix",
        severity: .error,
        confidence: .high,
        family: .project,
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
        flagged: Example("App/App.entitlements", PropertyListLines.entitlements(["com.example.shared"])),
        accepted: Example(
            "App/App.entitlements",
            PropertyListLines.entitlements(["$(AppIdentifierPrefix)com.example.shared"])
        ),
        check: .project { project, report in
            for file in project.entitlements {
                for (text, line) in file.groups {
                    if text.hasPrefix("$(") || text.hasPrefix("${") || WrittenGroupName(text: text).hasTeam
                        || text == "com.apple.token" || text.hasPrefix("*")
                    {
                        continue
                    }
                    report.add(path: file.path, line: line, "'\(text)' has no $(AppIdentifierPrefix)", context: text)
                }
                for (text, line) in file.applicationGroups where !file.isMac {
                    let isPrefixed = text.hasPrefix("$") && WrittenGroupName(text: text).hasPrefix
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
