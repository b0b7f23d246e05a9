// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What a program of the Secret Service sees: its own groups, or the unowned ones, or, as a manager of passwords, all.
struct UserProgramManagerTests {
    private let bench = UserProgramBench()

    private static let groups = [
        "\(UserProgramBench.team).c", "flatpak/org.example.App", "org.example.unowned", Client.commonGroup,
    ]

    init() throws {
        for group in Self.groups + [ScheduledBackup.accessGroup] { try bench.add(group, to: group) }
    }

    private static func contents(_ replaced: Bool) -> LookupRequest.Operation {
        let contents = LookupContents(
            attributes: LookupAttributes(),
            label: "",
            secret: SecretBytes([1]),
            contentType: "text/plain"
        )
        return .store(contents, replacing: replaced)
    }

    /// The groups with which a command is carried out.
    private func groups(_ operation: LookupRequest.Operation, of program: UserProgram) throws -> [String] {
        let command = KeychainCommand.lookup(LookupRequest(operation, client: .person))
        return try #require(try program.permitted(command).client).accessGroups
    }

    private static func operations() -> [LookupRequest.Operation] {
        [
            .search(LookupAttributes()), .describe([]), .secrets([]), contents(true), contents(false),
            .change(.zero, .label("")), .delete(.zero),
        ]
    }

    @Test("a manager has the groups of all for its commands by lookup attributes, but not that of scheduled backups")
    func manager() throws {
        let own = "org.example.manager"
        for (owned, first) in [([], Client.commonGroup), ([own], own)] {
            let manager = bench.program(
                ClientIdentity(
                    .rootManifest("/etc/x"),
                    ownedGroups: owned,
                    isConfined: true,
                    hasManagerRights: true,
                    reservedGroups: ["org.example.unowned"]
                )
            )
            for operation in Self.operations() {
                let groups = try groups(operation, of: manager)
                #expect(groups.first == first && Set(groups) == Set(Self.groups + owned), "\(operation)")
            }
            let filter = try manager.changeFilter(for: .person)
            #expect(Self.groups.allSatisfy(filter.contains) && !filter.contains(ScheduledBackup.accessGroup))
            // By item functions it has its own.
            let call = KeychainRequest(.copyMatching(UserProgramBench.everything), client: .person)
            let permitted = try? manager.permitted(.items(call))
            #expect(permitted?.client?.accessGroups ?? [] == owned)
        }
    }

    @Test("a program with groups of its own keeps to them, and one that is not identified to those that nobody owns")
    func others() throws {
        let own = "\(UserProgramBench.team).c"
        let identified = bench.program(
            ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [own], isConfined: true)
        )
        let anonymous = bench.program(ClientIdentity(.anonymous))
        for operation in Self.operations() {
            #expect(try groups(operation, of: identified) == [own])
            let groups = try groups(operation, of: anonymous)
            #expect(groups.first == Client.commonGroup)
            #expect(Set(groups) == ["org.example.unowned", Client.commonGroup])
        }
        let filter = try anonymous.changeFilter(for: .person)
        #expect(Self.groups.map(filter.contains) == [false, false, true, true])
        #expect(try Self.groups.map(identified.changeFilter(for: .person).contains) == [true, false, false, false])
    }

    @Test(
        "what a program stores that has lost its identity is not put where every program reads it, also if it replaces"
    )
    func lostIdentity() throws {
        let loss = "it was signed before; sign it"
        let lost = bench.program(ClientIdentity(.anonymous, reasons: [loss], loss: loss))
        for replaced in [false, true] {
            let error = #expect(throws: KeychainError.self) { try groups(Self.contents(replaced), of: lost) }
            #expect(error?.kind == .lostIdentity)
        }
        #expect(try groups(.search(LookupAttributes()), of: lost).contains(Client.commonGroup))
    }
}
