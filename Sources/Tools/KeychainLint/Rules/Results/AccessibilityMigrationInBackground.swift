// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let accessibilityMigrationInBackground = Rule(
        "accessibility-migration-in-background",
        severity: .error,
        confidence: .medium,
        family: .results,
        title: "An item is recreated in the background",
        reason: """
            A delete works while the device is locked, the add that follows may not: the item is gone for good. \
            Background code runs while the device is locked.
            """,
        remedy: """
            Migrate once, in the foreground: write the new item, read it back, then remove the old one.
            """,
        flagged: .code(moving, "func refresh(_ task: BGAppRefreshTask, _ d: Data) { print(again(d)) }"),
        accepted: .code(moving, "final class Scene { func sceneDidBecomeActive() { print(again(Data())) } }"),
        check: .function { facts, report in
            guard let reason = BackgroundRoot.reason(facts) else { return }
            for add in facts.sites where add.function == .add {
                for delete in facts.sites where delete.function == .delete && add.passed.contains(delete.index) {
                    guard let one = delete.query.variants.first,
                        add.query.variants.contains(where: { one.meansSameItem(as: $0) })
                    else { continue }
                    report.add(
                        delete.rootCall,
                        "deletes an item and adds it again in the background (\(reason)): while locked only the delete works",
                        related: [(add.rootCall, "it is added here")],
                        context: facts.name
                    )
                    return
                }
            }
        }
    )
}

/// A delete and an add with another accessibility, for the examples.
private let moving = """
    import Security
    func again(_ d: Data) -> OSStatus {
        let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
        let s = SecItemDelete(id as CFDictionary)
        guard s == errSecSuccess || s == errSecItemNotFound else { return s }
        return SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) { $1 } as CFDictionary, nil)
    }
    """
