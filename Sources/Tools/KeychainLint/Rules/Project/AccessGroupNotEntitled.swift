// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let accessGroupNotEntitled = Rule(
        "access-group-not-entitled",
        severity: .error,
        confidence: .medium,
        family: .project,
        in: .all,
        title: "An access group is in no entitlements",
        reason: """
            A call that names a group which the program is not entitled to fails with errSecMissingEntitlement \
            (-34018).
            """,
        remedy: "Add the group to keychain-access-groups, or name one that is there.",
        flagged: Example([
            "App/Group.swift": reading("A1B2C3D4E5.com.example.other"),
            "App/App.entitlements": PropertyListLines.entitlements(["$(AppIdentifierPrefix)com.example.shared"]),
        ]),
        accepted: Example([
            "App/Group.swift": reading("A1B2C3D4E5.com.example.shared"),
            "App/App.entitlements": PropertyListLines.entitlements(["$(AppIdentifierPrefix)com.example.shared"]),
        ]),
        check: .project { project, report in
            /// The groups of some entitlements; nil if they have none, or an unknown one.
            func groups(_ entitlements: [EntitlementsText]) -> Set<String>? {
                let all = entitlements.flatMap { $0.groups + $0.applicationGroups }.map {
                    WrittenGroupName(text: $0.text)
                }
                // A prefix variable is ignored; any other variable could be the group.
                let names = Set(all.map(\.name))
                return names.isEmpty || names.contains { $0.contains("$") || $0.contains("*") } ? nil : names
            }
            let anywhere = groups(project.entitlements)
            for (site, facts) in project.sites {
                for (key, entry) in site.entries(site.query) where key == "kSecAttrAccessGroup" {
                    guard case .string(let text) = entry.value, text != "com.apple.token" else { continue }
                    let group = WrittenGroupName(text: text)
                    guard group.hasPrefix || text.hasPrefix("group.") else { continue }
                    // Those of the targets that compile the file, if known.
                    let owners = project.entitlements(of: facts.source.path)
                    guard let known = owners.isEmpty ? anywhere : groups(owners), !known.contains(group.name) else {
                        continue
                    }
                    // The application identifier is a group too.
                    let isBundle = project.files.contains { file in
                        (file.path.hasSuffix(".pbxproj") || file.path.hasSuffix(".xcconfig"))
                            && file.text.contains(group.name)
                    }
                    if isBundle { continue }
                    report.add(
                        entry.place,
                        in: facts.module,
                        "'\(text)' is in no entitlements of the project",
                        context: text
                    )
                }
            }
        }
    )
}

/// A read in a group, for the examples.
private func reading(_ group: String) -> String {
    """
    import Security
    func read(_ r: inout CFTypeRef?) -> OSStatus {
        SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
            kSecAttrAccessGroup: "\(group)", kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne] as CFDictionary, &r)
    }
    """
}
