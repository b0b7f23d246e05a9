// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let accessGroupMissingTeamPrefix = Rule(
        "access-group-missing-team-prefix",
        severity: .warning,
        confidence: .high,
        family: .query,
        title: "An access group lacks its prefix",
        reason: """
            In code an access group is the full string, with the team or application identifier prefix that \
            Xcode expands in the entitlements: without it the call fails with errSecMissingEntitlement (-34018).
            """,
        remedy: """
            Read the prefix from the Info.plist ($(AppIdentifierPrefix)), and put it before the group.
            """,
        flagged: """
            import Security
            func shared(_ q: inout [CFString: Any]) -> OSStatus {
                q[kSecAttrAccessGroup] = "com.example.shared"
                return SecItemAdd(q as CFDictionary, nil)
            }
            """,
        accepted: #"""
            import Security
            func shared(_ q: inout [CFString: Any], _ prefix: String) -> OSStatus {
                q[kSecAttrAccessGroup] = "\(prefix).com.example.shared"
                return SecItemAdd(q as CFDictionary, nil)
            }
            """#,
        check: .site { site, _, report in
            for (key, entry) in site.entries(site.query) where key == "kSecAttrAccessGroup" {
                guard case .string(let group) = entry.value, !group.hasPrefix("group."), group != "com.apple.token",
                    !WrittenGroupName(text: group).hasTeam, !group.contains("$("), !group.isEmpty
                else { continue }
                report.add(
                    entry.place,
                    "'\(group)' has no team or application identifier prefix",
                    related: [(site.reportPlace, "the call")],
                    context: group
                )
            }
        }
    )
}
