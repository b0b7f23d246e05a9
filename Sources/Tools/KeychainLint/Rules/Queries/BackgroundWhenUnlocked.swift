// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let backgroundWhenUnlocked = Rule(
        "background-when-unlocked",
        severity: .warning,
        confidence: .medium,
        family: .query,
        title: "An item that background code needs is readable only while the device is unlocked",
        reason: """
            The device is normally locked when the system runs background code: reads and writes of the item \
            then fail with errSecInteractionNotAllowed (-25308).
            """,
        remedy: """
            Add the item with kSecAttrAccessibleAfterFirstUnlock(ThisDeviceOnly), and carry existing items over \
            in the foreground.
            """,
        flagged: .background("kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked", .refresh),
        accepted: .background("kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock", .refresh),
        check: .module { all, report in
            for (add, root, read, reason) in BackgroundRoot.meetings(all) {
                let levels = add.query.variants.map { variant -> Accessibility? in
                    if variant.isOpen || variant.has("kSecAttrAccessControl") { return .afterFirstUnlock }
                    guard let value = variant.value("kSecAttrAccessible") else { return .whenUnlocked }
                    return KeyTable.accessibility(value)
                }
                guard let level = levels.first(where: { $0 != nil && $0?.outlivesLock == false }), let level else {
                    continue
                }
                report.add(
                    add.reportPlace,
                    "background code reads this item (\(reason)), but it is locked with the device: \(level.constantName)",
                    related: [(read.rootCall, "it is read here, in \(root.name)")],
                    context: add.context
                )
            }
        }
    )
}
