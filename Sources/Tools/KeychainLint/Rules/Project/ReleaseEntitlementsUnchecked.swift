// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let releaseEntitlementsUnchecked = Rule(
        "release-entitlements-unchecked",
        severity: .note,
        confidence: .medium,
        family: .project,
        in: .all,
        title: "A release is built without a look at its entitlements",
        reason: """
            The entitlements of what is shipped come from the provisioning profile as much as from the file in the \
            repository. A group that is missing, or another first group, is seen only when users lose their items.
            """,
        remedy: "After the export: codesign -d --entitlements - \"$APP\" | diff - expected.entitlements",
        flagged: Example([
            ".github/workflows/release.yml": """
            jobs:
              release:
                steps:
                  - run: xcodebuild archive -scheme App -archivePath App.xcarchive
                  - run: xcodebuild -exportArchive -archivePath App.xcarchive -exportPath out
            """
        ]),
        accepted: Example([
            ".github/workflows/release.yml": """
            jobs:
              release:
                steps:
                  - run: xcodebuild archive -scheme App -archivePath App.xcarchive
                  - run: codesign -d --entitlements - App.xcarchive/Products/Applications/App.app | diff - expected.entitlements
            """
        ]),
        check: .project { project, report in
            for job in project.jobs {
                func isRelease(_ command: ShellCommand) -> Bool {
                    let words = command.words
                    if words.contains("xcodebuild") {
                        return words.contains("archive") || words.contains("-exportArchive")
                    }
                    return words.contains("notarytool") || words.contains("altool")
                }
                let isChecked = job.commands.contains { command in
                    command.words.contains("codesign") && command.text.contains("--entitlements")
                        && command.words.contains { ["-d", "--display", "-dv", "-dvv", "-dvvv"].contains($0) }
                }
                guard !isChecked, let command = job.commands.first(where: isRelease) else { continue }
                report.add(path: job.path, line: command.line, "nothing looks at the entitlements of what is built")
            }
        }
    )
}
