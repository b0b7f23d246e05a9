// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let biometricItemInBackground = Rule(
        "biometric-item-in-background",
        .warning,
        .medium,
        .query,
        title: "Background code reads an item that asks for its owner",
        reason: """
            An item behind an access control that asks for presence needs somebody who looks at the device: \
            background code never gets it.
            """,
        remedy: """
            Keep a second item for background work, without an access control, with \
            kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly.
            """,
        flagged: [
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessControl: control]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryAny, nil)!
            func refresh(_ task: BGAppRefreshTask) {
                var r: CFTypeRef?
                let status = vault.get(&r)
                task.setTaskCompleted(success: status == errSecSuccess)
            }
            """,
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessControl: control]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.userPresence], nil)!
            final class Service: UNNotificationServiceExtension {
                override func didReceive(_ request: UNNotificationRequest, withContentHandler handler: @escaping (UNNotificationContent) -> Void) {
                    var r: CFTypeRef?
                    let status = vault.get(&r)
                    print(status)
                }
            }
            """,
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessControl: control]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)!
            final class App: NSObject, UIApplicationDelegate {
                func application(_ application: UIApplication, performFetchWithCompletionHandler done: @escaping (UIBackgroundFetchResult) -> Void) {
                    var r: CFTypeRef?
                    done(vault.get(&r) == errSecSuccess ? .newData : .failed)
                }
            }
            """,
        ],
        accepted: [
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessControl: control]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryAny, nil)!
            final class Screen {
                func viewDidLoad() {
                    var r: CFTypeRef?
                    print(vault.get(&r))
                }
            }
            """,
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessControl: control]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .privateKeyUsage, nil)!
            func refresh(_ task: BGAppRefreshTask) {
                var r: CFTypeRef?
                let status = vault.get(&r)
                task.setTaskCompleted(success: status == errSecSuccess)
            }
            """,
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            func refresh(_ task: BGAppRefreshTask) {
                var r: CFTypeRef?
                let status = vault.get(&r)
                task.setTaskCompleted(success: status == errSecSuccess)
            }
            """,
        ],
        check: .module { all, report in
            // The flags that a module uses with its access controls; only when all of them ask is it sure that this one does.
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
