// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let accessControlWeakProtection = Rule(
        "access-control-weak-protection",
        severity: .note,
        confidence: .high,
        family: .accessControl,
        title: "Presence is asked for, a passcode is not",
        reason: """
            With a level other than kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly an item that asks for its \
            owner also goes to devices without a passcode, or to other devices by a backup.
            """,
        remedy: "Use kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly with flags that ask for the owner.",
        flagged: """
            import Security
            func control(_ e: inout Unmanaged<CFError>?) -> SecAccessControl? {
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryCurrentSet, &e)
            }
            """,
        accepted: """
            import Security
            func control(_ e: inout Unmanaged<CFError>?) -> SecAccessControl? {
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, &e)
            }
            """,
        check: .function { facts, report in
            for use in facts.accessControls where use.depth == 0 && use.asksForPresence {
                // An application password alone needs no passcode.
                guard use.flags != ["applicationPassword"], let level = KeyTable.accessibility(use.protection),
                    level != .whenPasscodeSetThisDeviceOnly
                else {
                    continue
                }
                report.add(
                    use.place,
                    "asks for the owner with \(level.constantName): the item also exists where no passcode is set",
                    context: facts.name
                )
            }
        }
    )
}
