// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingDeleteKeychain = Rule(
        "ci-missing-delete-keychain",
        severity: .warning,
        confidence: .high,
        family: .project,
        title: "A keychain stays behind on the CI machine",
        reason: """
            A plain delete at the end does not run when a step before it fails, and the keychain with the \
            signing key stays on the machine.
            """,
        remedy: "Delete it in a step with if: always(), by trap … EXIT, in after_script, or in ensure.",
        flagged: .carelessSigning,
        accepted: .carefulSigning,
        check: .project { project, report in
            for job in project.jobs {
                guard let create = job.security("create-keychain").first else { continue }
                let deletes = job.security("delete-keychain")
                if deletes.contains(where: \.isAlways) { continue }
                // Nothing stays behind on a machine that is thrown away.
                if project.hostedRunners == true { continue }
                let isHosted = project.isHosted(job)
                report.add(
                    path: job.path,
                    line: create.line,
                    deletes.isEmpty
                        ? "the keychain is never deleted"
                        : "the keychain is not deleted when a command before that fails",
                    severity: isHosted ? .note : nil,
                    confidence: isHosted ? .medium : nil
                )
            }
            for file in project.files {
                let calls = FastlaneCall.all(file)
                if project.hostedRunners == true { continue }
                guard let create = calls.first(where: { $0.name == "create_keychain" }),
                    !calls.contains(where: { $0.name == "delete_keychain" && $0.isAlways })
                else { continue }
                report.add(
                    path: file.path,
                    line: create.line,
                    "the keychain is not deleted in ensure, after_all or error"
                )
            }
        }
    )
}
