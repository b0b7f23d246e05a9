// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let entitlementGroupRemoved = Rule(
        "entitlement-group-removed",
        severity: .error,
        confidence: .high,
        family: .project,
        in: .all,
        title: "A change takes a keychain access group away, or another group comes first",
        reason: """
            After an update the program no longer finds the items of a group that it lost. The first group is the \
            default for items that are added without one, so that another first group has the program look for its \
            items in the wrong place. Compared with the commit of --diff, or with the groups in a baseline.
            """,
        remedy: """
            Append new groups at the end. Keep the old group until its items were moved: update kSecAttrAccessGroup of \
            each, in the foreground, for two releases; items of another team's prefix need an entitlement of that team.
            """,
        flagged: .entitlements(
            "$(AppIdentifierPrefix)com.example.new",
            before: "$(AppIdentifierPrefix)com.example.old"
        ),
        accepted: .entitlements(
            "$(AppIdentifierPrefix)com.example.app",
            before: "$(AppIdentifierPrefix)com.example.app"
        ),
        check: .change { project, former, report in
            for file in project.entitlements {
                guard let before = former[file.path], let oldFirst = before.first else { continue }
                let groups = file.groups
                let names = Set(groups.map { WrittenGroupName(text: $0.text).name })
                let removed = before.filter { !names.contains(WrittenGroupName(text: $0).name) }
                let newFirst = groups.first.map { WrittenGroupName(text: $0.text).name }
                let isReordered = newFirst != WrittenGroupName(text: oldFirst).name
                guard !removed.isEmpty || isReordered else { continue }
                var message = removed.isEmpty ? "" : "removes \(removed.map { "'\($0)'" }.joined(separator: ", "))"
                if isReordered, let first = groups.first {
                    message += (removed.isEmpty ? "" : "; ")
                    message +=
                        "'\(first.text)' comes first instead of '\(oldFirst)': it becomes the default for new items"
                }
                // The group now in the place of the first removed one.
                let index = isReordered ? 0 : before.firstIndex { removed.contains($0) } ?? 0
                let line = groups.indices.contains(index) ? groups[index].line : groups.last?.line ?? file.groupsLine
                report.add(path: file.path, line: line ?? 1, message, context: removed.joined(separator: ","))
            }
        }
    )
}
