// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing
import WireTestSupport

/// The table of commands, which client, router, server, daemon, audit and simulation read.
struct CommandRowTests {
    private static let rows = Set(WireSamples.commands.map(\.row))

    @Test("each row has a name of its own, but for the two commands of an item function")
    func names() {
        let named = Dictionary(grouping: Self.rows.filter { $0.family != .items }, by: \.name)
        #expect(named.allSatisfy { $0.value.count == 1 && !$0.key.isEmpty })
    }

    @Test("a command belongs to one family")
    func families() {
        #expect(Self.rows.allSatisfy { $0.family.rawValue.nonzeroBitCount == 1 })
        let all = Self.rows.reduce(into: CommandFamily()) { $0.formUnion($1.family) }
        #expect(
            all == [.items, .device, .authentication, .enclave, .maintenance, .files, .move]
        )
    }

    @Test("what may be sent twice neither proves a passcode nor replaces items, and what ends a prompt prompts nobody")
    func traits() {
        for row in Self.rows {
            let traits = row.traits
            if traits.contains(.changesNothing) {
                #expect(
                    traits.isDisjoint(with: [.provesPasscode, .replacesItems, .endsContext, .locksDevice]),
                    "\(row)"
                )
            }
            if traits.contains(.isUrgent) { #expect(!traits.contains(.mayPrompt), "\(row)") }
            if traits.contains(.endsContext) { #expect(row.storeUse == .none, "\(row)") }
        }
    }

    /// Every row but those of explanations, whose right depends on their scope.
    private static let expected: [String: String] = [
        "SecItemAdd": "mayPrompt needs everyProgram",
        "SecItemCopyMatching": "changesNothing mayPrompt looks everyProgram",
        "SecItemDelete": "mayPrompt looks everyProgram", "SecItemUpdate": "mayPrompt looks everyProgram",
        "lookup search": "changesNothing looks everyProgram", "lookup describe": "changesNothing looks everyProgram",
        "lookup secrets": "changesNothing looks everyProgram", "lookup store": "needs everyProgram",
        "lookup change": "looks everyProgram", "lookup delete": "looks everyProgram",
        "history": "changesNothing looks everyProgram",
        "history secret": "changesNothing mayPrompt looks everyProgram",
        "history restore": "mayPrompt looks everyProgram", "history keep": "looks everyProgram",
        "history clear": "looks everyProgram", "history number": "changesNothing looks everyProgram",
        "history keep all": "replacesItems needs owner", "history clear all": "replacesItems looks owner",
        "device status": "changesNothing needs everyProgram",
        "device lock": "isUrgent locksDevice needs outsideOfSandbox",
        "device lock this process": "isUrgent none outsideOfSandbox",
        "device unlock": "provesPasscode needs outsideOfSandbox",
        "device set passcode": "provesPasscode needs outsideOfSandbox",
        "device change passcode": "provesPasscode needs outsideOfSandbox",
        "device remove passcode": "replacesItems needs outsideOfSandbox", "device set policy": "needs owner",
        "device summary": "changesNothing looks outsideOfSandbox",
        "device erase": "replacesItems looks passcodeOfSystemService",
        "recovery key create": "provesPasscode needs passcode",
        "recovery key check": "changesNothing looks outsideOfSandbox",
        "recovery key use": "provesPasscode looks outsideOfSandbox",
        "recovery key remove": "provesPasscode needs passcode",
        "biometry": "changesNothing isUnlogged none everyProgram",
        "authentication check": "changesNothing mayPrompt none everyProgram",
        "authentication": "mayPrompt none everyProgram",
        "context status": "changesNothing isUnlogged none everyProgram",
        "context forget password": "isUrgent endsContext isUnlogged none everyProgram",
        "context invalidate": "isUrgent endsContext isUnlogged none everyProgram",
        "context release": "isUrgent endsContext isUnlogged releasesContext none everyProgram",
        "enclave kind": "changesNothing isUnlogged none everyProgram",
        "enclave make key": "mayPrompt needs everyProgram", "enclave public key": "changesNothing needs everyProgram",
        "enclave use key": "mayPrompt needs everyProgram", "check": "changesNothing needs owner",
        "recover": "replacesItems needs owner", "create backup": "opensPath needs owner", "send backup": "needs owner",
        "set backup secret": "needs owner", "create scheduled backup": "opensPath needs outsideOfSandbox",
        "send scheduled backup": "needs outsideOfSandbox", "restore backup": "opensPath replacesItems needs owner",
        "restore sent backup": "replacesItems needs owner", "merge backup": "opensPath replacesItems needs owner",
        "merge sent backup": "replacesItems needs owner", "compare backup": "changesNothing opensPath needs owner",
        "compare sent backup": "changesNothing needs owner", "root key status": "changesNothing looks outsideOfSandbox",
        "replace root key": "provesPasscode needs owner", "store status": "changesNothing looks outsideOfSandbox",
        "downgrade store": "looks owner", "move group": "mayPrompt replacesItems looks outsideOfSandbox",
        "rehearse move group": "changesNothing mayPrompt looks outsideOfSandbox", "take over": "needs outsideOfSandbox",
        "give back": "needs outsideOfSandbox", "move status": "changesNothing isUnlogged needs outsideOfSandbox",
        "move begin": "needs outsideOfSandbox", "move receive": "needs outsideOfSandbox",
        "move activate": "needs outsideOfSandbox", "move send": "needs passcode",
        "move resume": "needs outsideOfSandbox", "move remove": "needs outsideOfSandbox",
        "move append": "isUnlogged needs outsideOfSandbox", "move rows": "isUnlogged needs outsideOfSandbox",
        "move compare": "isUnlogged needs outsideOfSandbox",
        "audit log": "changesNothing isUnlogged needs outsideOfSandbox",
        "keychain file create": "needs outsideOfSandbox", "keychain file delete": "needs outsideOfSandbox",
        "keychain file lock": "isUrgent needs outsideOfSandbox", "keychain file unlock": "needs outsideOfSandbox",
        "keychain file status": "changesNothing needs outsideOfSandbox",
        "keychain file set settings": "needs outsideOfSandbox",
        "keychain file change password": "needs outsideOfSandbox",
        "keychain file items": "changesNothing needs outsideOfSandbox",
        "keychain file find": "changesNothing needs outsideOfSandbox",
        "keychain file secret": "changesNothing needs outsideOfSandbox",
        "keychain file access": "changesNothing needs outsideOfSandbox", "keychain file add": "needs outsideOfSandbox",
        "keychain file update": "needs outsideOfSandbox", "keychain file set partition list": "needs outsideOfSandbox",
        "keychain file remove": "needs outsideOfSandbox",
        "keychain file details": "changesNothing needs outsideOfSandbox",
        "keychain file set label": "needs outsideOfSandbox",
        "keychain file lookup search": "changesNothing needs outsideOfSandbox",
        "keychain file lookup describe": "changesNothing needs outsideOfSandbox",
        "keychain file lookup secrets": "changesNothing needs outsideOfSandbox",
        "keychain file lookup store": "needs outsideOfSandbox",
        "keychain file lookup change": "needs outsideOfSandbox",
        "keychain file lookup delete": "needs outsideOfSandbox",
        "lock all keychain files": "isUrgent needs outsideOfSandbox",
    ]

    @Test("commands have the rows that are written down", arguments: expected)
    func row(_ name: String, _ expected: String) throws {
        // Of an explained call, the right is that of its explanation.
        let rows = Self.rows.filter { $0.name == name && !($0.family == .items && $0.right == .owner) }
        try #require(rows.count == 1)
        #expect(rows.first.map(Self.text) == expected)
    }

    @Test("every row is written down: which programs may send a command is not left to chance")
    func complete() {
        let names = Set(Self.rows.filter { $0.family != .items }.map(\.name))
        #expect(names.subtracting(Self.expected.keys) == [])
    }

    @Test("a delete of identities may have removed one half when it fails, any other failed call of an item nothing")
    func failedDelete() {
        let calls = ["genp", "idnt"].map { itemClass in
            KeychainCommand.items(
                KeychainRequest(.delete(["class": .string(itemClass)]), client: Client(accessGroups: ["example"]))
            )
        }
        #expect(calls.map { $0.has(.changesWhenItFails) } == [false, true])
    }

    /// Who tells commands apart beside the table and the bytes: those who carry them out, for those that they do.
    private static let executors = [
        "Values/KeychainCore/Requests/KeychainCommand.swift",
        "Daemon/KeychainDaemon/ProgramKeychain.swift", "Daemon/KeychainDaemon/System/Partition.swift",
        "Daemon/KeychainOnDemand/DaemonOnDemand.swift", "Testing/KeychainSimulation/Calls/AppKeychain.swift",
    ]

    @Test("a command is told apart in its row, in its bytes and where it is carried out, and nowhere else")
    func switches() throws {
        let sources = #filePath.components(separatedBy: "/Tests/")[0] + "/Sources/"
        // One that is added has a sample, so that its name is looked for as well.
        let names = Set(WireSamples.commands.compactMap(Self.pattern))
        try #require(names.contains("maintenance(.check") && names.contains("files(.lockAll"))
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
        let found = try files.filter { $0.hasSuffix(".swift") }.filter { file in
            let text = try String(contentsOfFile: sources + file, encoding: .utf8)
            return text.split(separator: "\n").contains { line in
                line.contains("case .") && names.contains { Self.isWord($0, in: line) }
            }
        }
        #expect(Set(found).subtracting(Self.executors) == [], "what they need to know belongs into the command's row")
    }

    /// The beginning of the pattern of a command that is in a group of its own, as `maintenance(.check`.
    private static func pattern(_ command: KeychainCommand) -> String? {
        guard let outer = Mirror(reflecting: command).children.first, let group = outer.label,
            !["items", "explain", "itemsExplained"].contains(group)
        else { return nil }
        let inner = Mirror(reflecting: outer.value).children.first?.label ?? "\(outer.value)"
        return "\(group)(.\(inner)"
    }

    private static func isWord(_ name: String, in line: Substring) -> Bool {
        guard let range = line.range(of: "." + name) else { return false }
        return range.upperBound == line.endIndex || !line[range.upperBound].isLetter
    }

    private static func text(_ row: CommandRow) -> String {
        let names: [(CommandRow.Traits, String)] = [
            (.changesNothing, "changesNothing"), (.mayPrompt, "mayPrompt"), (.isUrgent, "isUrgent"),
            (.endsContext, "endsContext"), (.provesPasscode, "provesPasscode"), (.locksDevice, "locksDevice"),
            (.opensPath, "opensPath"), (.replacesItems, "replacesItems"), (.isUnlogged, "isUnlogged"),
            (.changesWhenItFails, "changesWhenItFails"), (.releasesContext, "releasesContext"),
        ]
        let right =
            switch row.right {
            case .everyProgram: "everyProgram"
            case .outsideOfSandbox: "outsideOfSandbox"
            case .passcode: "passcode"
            case .passcodeOfSystemService: "passcodeOfSystemService"
            case .owner: "owner"
            }
        return (names.filter { row.traits.contains($0.0) }.map(\.1) + ["\(row.storeUse)", right])
            .joined(separator: " ")
    }
}
