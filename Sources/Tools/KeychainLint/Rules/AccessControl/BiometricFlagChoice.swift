// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let biometricFlagChoice = Rule(
        "biometric-flag-choice",
        severity: .note,
        confidence: .high,
        family: .accessControl,
        title: "Which owner may open the item is a choice",
        reason: """
            .userPresence and .devicePasscode accept the passcode instead of biometry, and .biometryAny goes on \
            accepting fingers and faces that are enrolled later.
            """,
        remedy: """
            Use .biometryCurrentSet where a new finger must not open the item; keep the others where that is \
            meant, with a comment that says so.
            """,
        flagged: """
            import Security
            func control(_ e: inout Unmanaged<CFError>?) -> SecAccessControl? {
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryAny, &e)
            }
            """,
        accepted: """
            import Security
            func control(_ e: inout Unmanaged<CFError>?) -> SecAccessControl? {
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, &e)
            }
            """,
        check: .function { facts, report in
            for use in facts.accessControls where use.depth == 0 && use.areFlagsKnown {
                let consequences: [(String, String)] = [
                    ("biometryAny", "fingers and faces that are enrolled later open the item"),
                    ("touchIDAny", "fingers that are enrolled later open the item"),
                    ("userPresence", "the passcode opens the item as well"),
                    ("devicePasscode", "the passcode opens the item"),
                ]
                guard let (flag, text) = consequences.first(where: { use.flags.contains($0.0) }) else { continue }
                report.add(use.place, ".\(flag): \(text)", context: facts.name)
            }
        }
    )
}
