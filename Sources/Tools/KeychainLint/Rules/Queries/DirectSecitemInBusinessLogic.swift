// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Rule {
    static let directSecitemInBusinessLogic = Rule(
        "direct-secitem-in-business-logic",
        severity: .note,
        confidence: .medium,
        family: .style,
        title: "An item function is called outside of the types that keep secrets",
        reason: """
            Queries that are built in views and models drift apart, and no test can put another keychain in their place. \
            The configuration's stores names the types that may call; without it, views, view controllers, view models and \
            app delegates are reported.
            """,
        remedy: "Call one store type, through a protocol that tests can implement.",
        flagged: .code("import SwiftUI", "struct LoginView: View {", saving, "}"),
        accepted: .code("struct Vault {", saving, "}"),
        check: .module { all, report in
            for facts in all.functions where !facts.isTest {
                guard let type = facts.typeName else { continue }
                let isAllowed =
                    all.stores.isEmpty
                    ? !Interface.contains(type, all.module) : all.stores.contains { PathChoice.matches(type, $0) }
                if isAllowed { continue }
                for site in facts.sites where site.depth == 0 {
                    report.add(
                        site.place,
                        "\(site.function.rawValue) is called in \(type)",
                        context: site.context
                    )
                }
            }
        }
    )

    private static let saving = """
            func save(_ d: Data) -> OSStatus {
                SecItemAdd([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d] as CFDictionary, nil)
            }
        """
}

/// User interface types.
private enum Interface {
    private static let ancestors: Set<String> = [
        "View", "App", "Scene", "UIViewController", "UIView", "UITableViewController", "UIResponder",
        "NSViewController",
        "NSView", "UIApplicationDelegate", "NSApplicationDelegate", "UIWindowSceneDelegate", "WKInterfaceController",
        "ObservableObject", "Reducer",
    ]

    private static let endings = [
        "View", "ViewController", "ViewModel", "Presenter", "Coordinator", "Interactor", "AppDelegate", "SceneDelegate",
        "Screen", "Reducer",
    ]

    static func contains(_ type: String, _ module: Module) -> Bool {
        !module.inherited(type).isDisjoint(with: ancestors) || endings.contains { type.hasSuffix($0) }
    }
}
