// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciSearchListClobbered = Rule(
        "ci-search-list-clobbered",
        severity: .note,
        confidence: .high,
        family: .project,
        title: "The search list of keychains is replaced",
        reason: """
            list-keychains -s and default-keychain -s change the machine for good: on a self-hosted machine the \
            login keychain is then no longer searched.
            """,
        remedy: "Add to the list that is there, and put the old default back when done.",
        flagged: .carelessSigning,
        accepted: .carefulSigning,
        check: .project { project, report in
            for job in project.jobs {
                for command in job.commands {
                    guard let verb = command.verb, command.words.contains("-s") else { continue }
                    if verb == "list-keychain" || verb == "list-keychains" {
                        let keeps = [
                            "list-keychain", "login", "EXISTING", "existing", "CURRENT", "current", "ORIGINAL",
                            "original", "OLD", "old",
                        ]
                        let rest = command.text.split(separator: " ").drop { $0 != "-s" }.joined(separator: " ")
                        if keeps.contains(where: { rest.contains($0) }) { continue }
                        report.add(path: job.path, line: command.line, "replaces the search list of keychains")
                    } else if verb == "default-keychain" {
                        let isRestored = job.security("default-keychain").count { $0.words.contains("-s") } > 1
                        if isRestored || command.text.contains("login") { continue }
                        report.add(
                            path: job.path,
                            line: command.line,
                            "changes the default keychain, and does not put it back"
                        )
                    }
                }
            }
        }
    )
}
