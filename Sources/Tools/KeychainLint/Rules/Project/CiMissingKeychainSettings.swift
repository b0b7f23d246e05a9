// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingKeychainSettings = Rule(
        "ci-missing-keychain-settings",
        severity: .warning,
        confidence: .high,
        family: .project,
        title: "The CI keychain locks itself during the build",
        reason: """
            A new keychain locks after five minutes: signing later fails with errSecInteractionNotAllowed \
            (-25308).
            """,
        remedy: """
            Run security set-keychain-settings -lut 21600 KEYCHAIN and security unlock-keychain after creating \
            it.
            """,
        flagged: .carelessSigning,
        accepted: .carefulSigning,
        check: .project { project, report in
            for job in project.jobs {
                guard let create = job.security("create-keychain").first,
                    job.signsOrTests || !job.security("import").isEmpty
                else { continue }
                let isUnlocked = !job.security("unlock-keychain").isEmpty
                let isSet = !job.security("set-keychain-settings").isEmpty
                if isUnlocked, isSet { continue }
                // A short job on a new machine is over before the keychain locks.
                let isShort = !isSet && isUnlocked && project.isHosted(job)
                report.add(
                    path: job.path,
                    line: create.line,
                    isSet ? "the keychain is never unlocked" : "the keychain keeps its lock timeout of five minutes",
                    severity: isShort ? .note : nil,
                    confidence: isShort ? .medium : nil
                )
            }
        }
    )
}
