// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciHardcodedKeychainPassword = Rule(
        "ci-hardcoded-keychain-password",
        severity: .warning,
        confidence: .high,
        family: .project,
        title: "The password of a CI keychain stands in the file",
        reason: """
            Whoever reads the repository has the password of the keychain that holds the signing key.
            """,
        remedy: """
            Make one for each run: openssl rand -hex 16, or take it from the secrets of the CI system.
            """,
        flagged: .carelessSigning,
        accepted: .carefulSigning,
        check: .project { project, report in
            // An empty password stands for none.
            func isLiteral(_ text: String) -> Bool {
                !text.filter { $0 != "\"" && $0 != "'" }.isEmpty && !text.contains("$") && !text.contains("`")
                    && !text.contains("%")
            }
            for job in project.jobs {
                let creates = job.security("create-keychain")
                let found =
                    creates.first { $0.option("-p").map(isLiteral) ?? false }
                    ?? (creates.isEmpty
                        ? job.security("unlock-keychain").first { $0.option("-p").map(isLiteral) ?? false }
                            ?? job.security("set-key-partition-list").first { $0.option("-k").map(isLiteral) ?? false }
                        : nil)
                guard let found else { continue }
                let isThrowAway = job.security("import").isEmpty && !job.signsOrTests && !creates.isEmpty
                report.add(
                    path: job.path,
                    line: found.line,
                    "the password of the keychain stands in the file",
                    severity: isThrowAway ? .note : nil
                )
            }
            for file in project.files {
                for call in FastlaneCall.all(file) {
                    let value = call.arguments["password"] ?? call.arguments["keychain_password"] ?? ""
                    guard call.name != "match", value.hasPrefix("\"") || value.hasPrefix("'"), !value.contains("#{"),
                        value.count > 2
                    else {
                        continue
                    }
                    report.add(path: file.path, line: call.line, "the password of the keychain stands in the file")
                }
            }
        }
    )
}
