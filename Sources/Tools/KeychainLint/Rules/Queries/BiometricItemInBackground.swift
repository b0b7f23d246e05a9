// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let biometricItemInBackground = Rule(
        "biometric-item-in-background",
        severity: .warning,
        confidence: .medium,
        family: .query,
        title: "Background code reads an item that asks for its owner",
        reason: """
            An item behind an access control that asks for presence needs somebody who looks at the device: \
            background code never gets it.
            """,
        remedy: """
            Keep a second item for background work, without an access control, with \
            kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly.
            """,
        flagged: .background("kSecAttrAccessControl: control", control: ".biometryAny", .refresh),
        accepted: .background("kSecAttrAccessControl: control", control: ".biometryAny", .screen),
        check: .module { all, report in
            // The flags of the module's access controls; only if all of them require authentication does this one for
            // sure.
            let uses = all.functions.filter { !$0.isTest }.flatMap(\.accessControls)
            guard !uses.isEmpty, uses.allSatisfy(\.asksForPresence) else { return }
            for (add, root, read, reason) in BackgroundRoot.meetings(all) {
                guard add.query.variants.allSatisfy({ $0.has("kSecAttrAccessControl") }) else { continue }
                report.add(
                    add.reportPlace,
                    "background code reads this item (\(reason)), which asks for its owner",
                    related: [(read.rootCall, "it is read here, in \(root.name)")],
                    context: add.context
                )
            }
        }
    )
}
