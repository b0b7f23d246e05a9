// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Rule {
    static let backgroundWhenUnlocked = Rule(
        "background-when-unlocked",
        .warning,
        .medium,
        .query,
        title: "An item that background code needs is readable only while the device is unlocked",
        reason: """
            The device is normally locked when the system runs background code: reads and writes of the item \
            then fail with errSecInteractionNotAllowed (-25308).
            """,
        remedy: """
            Add the item with kSecAttrAccessibleAfterFirstUnlock(ThisDeviceOnly), and carry existing items over \
            in the foreground.
            """,
        flagged: [
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
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
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
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
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrLabel: "x"]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
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
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
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
                    SecItemAdd(id.merging([kSecValueData: d, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            final class Service: UNNotificationServiceExtension {
                override func didReceive(_ request: UNNotificationRequest, withContentHandler handler: @escaping (UNNotificationContent) -> Void) {
                    var r: CFTypeRef?
                    let status = vault.get(&r)
                    print(status)
                }
            }
            """,
        ],
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
