// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import Logging
import Synchronization

/// A setting that explains the failure of a call that works on Apple's platforms.
///
/// The first call of each kind in a process prints it, in one line on standard error and without values of the call,
/// unless `SWIFT_KEYCHAIN_HINTS` is `off`: in a test runner, or if standard error is a terminal. Elsewhere its number
/// may be that of another file of the program. That the keychain is locked is logged there instead: services, cron and
/// CI meet it most.
enum SettingHint: CaseIterable {
    /// The program has no access group at all.
    case noAccessGroups
    /// The program has not the access group that the call names.
    case anotherAccessGroup
    /// The iOS front end rejects keys that the macOS front end removes.
    case platform
    /// The same on a virtual device of the testing kit.
    case platformOfDevice
    /// The daemon does not identify the program as what it was, or should be.
    case lostIdentity
    /// The keychain has a passcode, and is not unlocked.
    case locked

    /// The hint for a failed call; `nil` if no setting explains it.
    ///
    /// - Parameters:
    ///   - status: the status of the call.
    ///   - operation: the call.
    ///   - client: the client that made it.
    ///   - isVirtual: whether it reached a virtual device of the testing kit, which has a test's own entitlements.
    ///   - kind: the kind of failure.
    init?(
        for status: Status,
        of operation: KeychainRequest.Operation,
        by client: Client,
        isVirtual: Bool,
        kind: KeychainError.Kind = .request
    ) {
        switch status {
        case .missingEntitlement where kind == .lostIdentity, .itemNotFound where kind == .lostIdentity:
            self = .lostIdentity
        case .interactionNotAllowed where kind == .device(.locked) && !isVirtual: self = .locked
        case .missingEntitlement where !isVirtual:
            if client.accessGroups.isEmpty {
                self = .noAccessGroups
            } else if Self.namesAnotherGroup(operation, client) {
                self = .anotherAccessGroup
            } else {
                return nil
            }
        case .parameter where client.profile == .iOS && Self.hasKeysThatMacOSRemoves(operation):
            self = isVirtual ? .platformOfDevice : .platform
        default: return nil
        }
    }

    /// The text of the hint.
    var text: String {
        switch self {
        case .noAccessGroups:
            "errSecMissingEntitlement (-34018): the program's entitlements cannot be used or name no access group; "
                + "SWIFT_KEYCHAIN_ENTITLEMENTS names another property list, and SWIFT_KEYCHAIN_APP_IDENTIFIER_PREFIX=TEAMID. "
                + "expands $(AppIdentifierPrefix) in it"
        case .anotherAccessGroup:
            "errSecMissingEntitlement (-34018): the program has not the access group that the call names; "
                + "its groups are those of the property list that SWIFT_KEYCHAIN_ENTITLEMENTS names ('keychainctl test': "
                + "--entitlements, --prefix and --bundle-identifier)"
        case .platform:
            "errSecParam (-50): iOS refuses a limit, a match or a return key in an update or a delete, which macOS ignores; "
                + "SWIFT_KEYCHAIN_PLATFORM=macOS for code with '#if os(iOS)', of which Linux compiles the other branch"
        case .platformOfDevice:
            "errSecParam (-50): iOS refuses a limit, a match or a return key in an update or a delete, which macOS ignores; "
                + "SWIFT_KEYCHAIN_PLATFORM=macOS, or @Test(.keychain(.macOS)), for code with '#if os(iOS)', of which Linux "
                + "compiles the other branch"
        case .lostIdentity:
            "the keychain daemon does not identify the program as what it was, or as what its manifest says, so it does not "
                + "reach the items of that program: 'keychainctl verify PROGRAM' says why, and how to get them back"
        case .locked:
            "errSecInteractionNotAllowed (-25308): the keychain is locked. 'keychainctl device unlock -- COMMAND' runs a program "
                + "unlocked; where the daemon has the keychain ('keychainctl service enable'), 'keychainctl device unlock' is for "
                + "all programs"
        }
    }

    private static func namesAnotherGroup(_ operation: KeychainRequest.Operation, _ client: Client) -> Bool {
        operation.dictionaries.contains { dictionary in
            guard case .string(let group) = dictionary[AttributeName.accessGroup.description] else { return false }
            return !client.accessGroups.contains { Array($0.utf8) == Array(group.utf8) }
        }
    }

    /// Match and return keys in the query of an update or a delete (Semantics, "Keys that the macOS front end
    /// removes").
    private static func hasKeysThatMacOSRemoves(_ operation: KeychainRequest.Operation) -> Bool {
        let query: PropertyDictionary
        switch operation {
        case .update(let dictionary, _), .delete(let dictionary): query = dictionary
        case .add, .copyMatching, .set: return false
        }
        return query.entries.keys.contains { $0.hasPrefix("m_") || $0.hasPrefix("r_") }
    }
}

extension SettingHint {
    /// Prints the setting that explains a failed call, if the output is read and for the first time.
    static func printHint(for error: KeychainError, _ operation: KeychainRequest.Operation, _ client: Client) {
        guard setting != "off" else { return }
        // A task's own context without the kit is a test of this package.
        let isVirtual = TestingKit.isLinked
        guard isVirtual || KeychainContext.current == nil,
            let hint = SettingHint(
                for: error.status,
                of: operation,
                by: client,
                isVirtual: isVirtual,
                kind: error.kind
            ),
            isWanted || hint == .locked,
            printed.withLock({ $0.insert(hint).inserted })
        else { return }
        guard isWanted else { return logger.warning("\(hint.text)") }
        let line = "swift-keychain: \(hint.text) (SWIFT_KEYCHAIN_HINTS=off: no hints)\n"
        // A hint that cannot be written is no error of the program.
        var text = line
        _ = text.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static let printed = Mutex<Set<SettingHint>>([])

    private static let logger = Logger(label: "swift-keychain")

    private static let setting = ProcessEnvironment.value("SWIFT_KEYCHAIN_HINTS")

    private static let isWanted = isWanted(
        setting: setting,
        program: CommandLine.arguments.first ?? "",
        hasTerminal: isatty(STDERR_FILENO) == 1
    )

    /// Whether a program that runs in this way prints hints.
    static func isWanted(setting: String?, program: String, hasTerminal: Bool) -> Bool {
        setting != "off" && (hasTerminal || program.hasSuffix(".xctest"))
    }
}

extension KeychainRequest.Operation {
    /// All dictionaries of the call.
    fileprivate var dictionaries: [PropertyDictionary] {
        switch self {
        case .add(let dictionary), .copyMatching(let dictionary), .delete(let dictionary): [dictionary]
        case .update(let query, let attributes): [query, attributes]
        case .set(let query, let attributes, let addition): [query, attributes, addition]
        }
    }
}
