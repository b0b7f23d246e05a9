// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let freshInstallDetectorAbsent = Rule(
        "fresh-install-detector-absent",
        severity: .note,
        confidence: .medium,
        family: .project,
        title: "An app does not notice that it was reinstalled",
        reason: """
            Items stay in the keychain when an app is deleted. The next owner of the device, or the same one who meant to \
            begin again, gets the secrets of the installation before.
            """,
        remedy: """
            Keep a flag in UserDefaults, which goes with the app: where it is missing, delete the app's items, then set \
            it. Do so in the foreground, when defaults can be read.
            """,
        flagged: .code("import UIKit", "@main final class AppDelegate: UIResponder, UIApplicationDelegate {}", saving),
        accepted: Example([
            "App/App.swift": """
            import SwiftUI
            @main struct TheApp: App {
                init() {
                    if !UserDefaults.standard.bool(forKey: "launched") {
                        Vault().deleteAll()
                        UserDefaults.standard.set(true, forKey: "launched")
                    }
                }
            }
            """,
            "App/Vault.swift": saving,
        ]),
        check: .module { all, report in
            guard
                all.functions.contains(where: { facts in
                    !facts.isTest && facts.reported.contains { $0.function == .add }
                })
            else { return }
            let detects = all.functions.contains { facts in
                facts.sites.contains { $0.function == .delete } && FirstLaunch.isAsked(facts)
            }
            if detects { return }
            for (name, type) in all.module.types.sorted(by: { $0.key < $1.key }) where !type.isTest {
                for (declaration, file) in type.declarations {
                    let source = all.module.files[file]
                    // On macOS, users do not delete an app to start over.
                    guard declaration.attributes.contains(where: { ["main", "UIApplicationMain"].contains($0.name) }),
                        source.imports.contains("UIKit") || source.imports.contains("SwiftUI"),
                        !source.imports.contains("AppKit"), !source.path.contains("Test")
                    else { continue }
                    report.add(
                        Place(file: file, range: declaration.nameRange),
                        "keeps items from an earlier installation",
                        context: name
                    )
                }
            }
        }
    )

    private static let saving = """
        import Security
        struct Vault {
            func save(_ d: Data, _ account: String) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account,
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
            }
            @discardableResult func deleteAll() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s"] as CFDictionary)
            }
        }
        """
}

private enum FirstLaunch {
    private static let words = [
        "firstlaunch", "firstrun", "firststart", "freshinstall", "launchedbefore", "hasbeenlaunched", "haslaunched",
        "installed", "installation", "launched",
    ]

    /// Whether a function reads a flag that is deleted with the app.
    static func isAsked(_ facts: FunctionFacts) -> Bool {
        guard let function = facts.symbol?.function else { return false }
        let text = facts.source.text(function.range)
        let lower = text.lowercased()
        return text.contains("bool(forKey:") || text.contains("object(forKey:") || text.contains("AppStorage")
            || words.contains { lower.contains($0) }
    }
}
