// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Code that the system typically runs while the device is locked.
enum BackgroundRoot {
    private static let taskTypes: Set<String> = [
        "BGTask", "BGAppRefreshTask", "BGProcessingTask", "BGContinuedProcessingTask",
    ]

    private static let extensionTypes: Set<String> = [
        "UNNotificationServiceExtension", "NEPacketTunnelProvider", "NEAppProxyProvider", "NEFilterDataProvider",
        "NEFilterControlProvider", "NEDNSProxyProvider", "TimelineProvider", "AppIntentTimelineProvider",
        "IntentTimelineProvider", "CXProviderDelegate", "CLKComplicationDataSource",
    ]

    private static let labels: Set<String> = [
        "performFetchWithCompletionHandler", "fetchCompletionHandler", "didReceiveIncomingPushWith", "willRestoreState",
        "handleEventsForBackgroundURLSession",
    ]

    /// The reason why a function runs in the background; nil if it does not.
    static func reason(_ facts: FunctionFacts) -> String? {
        guard let function = facts.symbol?.function else { return nil }
        for parameter in function.parameters {
            if taskTypes.contains(Module.simpleName(parameter.type)) { return Module.simpleName(parameter.type) }
            if let label = parameter.label, labels.contains(label) { return label }
        }
        guard let type = facts.typeName, function.name != "init" else { return nil }
        return facts.module.inherited(type).first { extensionTypes.contains($0) }
    }

    /// Reads and writes of items that a background function reaches, with the adds of the same items.
    static func meetings(_ all: ModuleFacts) -> [(add: Site, root: FunctionFacts, read: Site, reason: String)] {
        let adds = all.functions.filter { !$0.isTest }.flatMap(\.reported).filter { $0.function == .add }
        var result: [(add: Site, root: FunctionFacts, read: Site, reason: String)] = []
        var seen: Set<Place> = []
        for root in all.functions where !root.isTest {
            guard let reason = reason(root) else { continue }
            for read in root.sites where read.function == .copyMatching || read.function == .update {
                for add in adds where !seen.contains(add.reportPlace) {
                    guard let one = read.query.variants.first,
                        add.query.variants.contains(where: { one.meansSameItem(as: $0) })
                    else { continue }
                    seen.insert(add.reportPlace)
                    result.append((add, root, read, reason))
                }
            }
        }
        return result
    }
}

/// A store, and code that reads it, for the examples of rules about background code.
extension Rule.Example {
    enum Reader {
        case refresh, screen

        fileprivate var code: String {
            switch self {
            case .refresh: Reader.refreshing
            case .screen: Reader.showing
            }
        }

        private static let refreshing = """
            func refresh(_ task: BGAppRefreshTask) {
                var r: CFTypeRef?
                let status = vault.get(&r)
                task.setTaskCompleted(success: status == errSecSuccess)
            }
            """

        private static let showing = """
            final class Screen {
                func viewDidLoad() {
                    var r: CFTypeRef?
                    print(vault.get(&r))
                }
            }
            """
    }

    /// A store that adds its item with these attributes, and a reader of it; with the flags of an access control
    /// `control`.
    static func background(_ attributes: String, control flags: String? = nil, _ reader: Reader) -> Rule.Example {
        let control = flags.map {
            "let control = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, \($0), nil)!\n"
        }
        return .code(
            """
            import Security
            struct Vault {
                let id: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"]
                func put(_ d: Data) -> OSStatus {
                    SecItemAdd(id.merging([kSecValueData: d, \(attributes)]) { $1 } as CFDictionary, nil)
                }
                func get(_ r: inout CFTypeRef?) -> OSStatus {
                    SecItemCopyMatching(id.merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 } as CFDictionary, &r)
                }
            }
            let vault = Vault()
            """,
            (control ?? "") + reader.code
        )
    }
}
