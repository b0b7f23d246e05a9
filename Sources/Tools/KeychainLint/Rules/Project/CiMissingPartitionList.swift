// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingPartitionList = Rule(
        "ci-missing-partition-list",
        severity: .error,
        confidence: .high,
        family: .project,
        title: "An imported key asks for permission at its first use",
        reason: """
            After security import codesign may not use the key before somebody clicks Allow: on a CI machine the \
            build waits until it times out.
            """,
        remedy: """
            Run security set-key-partition-list -S apple-tool:,apple: -s -k PASSWORD KEYCHAIN after the import.
            """,
        flagged: .carelessSigning,
        accepted: .carefulSigning,
        check: .project { project, report in
            for job in project.jobs {
                guard !job.security("create-keychain").isEmpty, job.security("set-key-partition-list").isEmpty,
                    !job.uses.contains(where: { $0.contains("import-codesign-certs") })
                else { continue }
                for command in job.security("import") {
                    let isCertificate = command.words.contains {
                        $0.hasSuffix(".cer") || $0.hasSuffix(".crt") || $0.hasSuffix(".pem")
                    }
                    if isCertificate || command.words.contains("-A") { continue }
                    report.add(
                        path: job.path,
                        line: command.line,
                        "no set-key-partition-list after the import: codesign hangs"
                    )
                    break
                }
            }
        }
    )
}
