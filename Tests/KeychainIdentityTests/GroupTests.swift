// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainIdentity

/// Which access groups a program has, by who it is and what it says: `Cases/groups.jsonl` has an identity on each line,
/// the groups that the program says it has, and those that it is given.
struct GroupTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var id: String
        var kind: String
        var owned: [String]?
        var prefix: String?
        var confined: Bool?
        var reserved: [String]?
        var claimed: [String]
        var granted: [String]

        var testDescription: String { id }

        var identity: ClientIdentity {
            let kind: ClientIdentity.Kind =
                switch self.kind {
                case "flatpak": .flatpak("org.example.App")
                case "snap": .snap("tool")
                case "unit": .systemUnit("tool.service")
                case "root": .rootManifest("/etc/swift-keychain/programs.d/tool.json")
                case "signed": TeamIdentifier(String(repeating: "A", count: 26)).map { .signed($0) } ?? .anonymous
                default: .anonymous
                }
            return ClientIdentity(
                kind,
                ownedGroups: owned ?? [],
                ownedPrefix: prefix,
                isConfined: confined ?? false,
                reservedGroups: Set(reserved ?? [])
            )
        }
    }

    static let rows: [Row] = CaseLines.read("groups")

    @Test("the groups are these, and of each other one it is said why not", arguments: rows)
    func groups(_ row: Row) {
        let granted = row.identity.groups(claimed: row.claimed)
        #expect(granted.map { Array($0.utf8) } == row.granted.map { Array($0.utf8) })
        for group in row.claimed {
            let isGranted = granted.contains { $0.utf8.elementsEqual(group.utf8) }
            #expect((row.identity.refusal(of: group) == nil) == isGranted, "\(group)")
        }
    }

    @Test("all rows are there")
    func count() { #expect(Self.rows.count >= 20) }

    @Test("what would reach groups of others goes")
    func client() {
        let identity = ClientIdentity(.anonymous)
        var claimed = Client(accessGroups: ["a", "*"], profile: .macOS, isNetworkExtension: true)
        #expect(identity.client(claimed: claimed) == Client(accessGroups: ["a"], profile: .macOS))
        claimed.appClipIdentifier = String(repeating: "A", count: 26) + ".clip"
        #expect(identity.client(claimed: claimed).accessGroups.isEmpty)
    }
}
