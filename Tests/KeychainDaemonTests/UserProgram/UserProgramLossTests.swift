// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// A program that has lost a group, or its identity.
struct UserProgramLossTests {
    private let bench = UserProgramBench()

    @Test("where a program lost a group, a search that finds nothing says so")
    func lostGroup() throws {
        let lost = "\(UserProgramBench.team).c"
        try bench.add("1", to: lost)
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("1")]
        for operation in [
            .copyMatching(query), .delete(query), .update(query, attributes: ["labl": .string("x")]),
        ] as [KeychainRequest.Operation] {
            let error = #expect(throws: KeychainError.self) { try bench.perform(operation, ["a", lost]) }
            #expect(error?.status == .itemNotFound)
            #expect(error?.reason.contains(lost) == true, "\(error?.reason ?? "")")
            let other = #expect(throws: KeychainError.self) { try bench.perform(operation, ["a"]) }
            #expect(other?.reason.contains(lost) == false)
        }
        let set = KeychainRequest.Operation.set(query, attributes: [:], addition: query)
        let refusal = #expect(throws: KeychainError.self) { try bench.perform(set, [lost, "a"]) }
        #expect(refusal?.status == .missingEntitlement, "it would be stored in another group than before")
    }

    @Test("the groups that were not searched are named in a text of limited length, and nothing is kept of them")
    func manyLostGroups() throws {
        let lost = (0..<40).map { "flatpak/\($0)." + String(repeating: "x", count: 1 << 20) }
        let operation = KeychainRequest.Operation.copyMatching(["class": .string("genp"), "acct": .string("1")])
        let error = #expect(throws: KeychainError.self) { try bench.perform(operation, ["a"] + lost) }
        let reason = error?.reason ?? ""
        #expect(reason.utf8.count < 16 << 10)
        #expect(reason.contains("'flatpak/15.x") && !reason.contains("flatpak/16.") && reason.contains("and 24 more"))
        let named = KeychainRequest.Operation.copyMatching(["class": .string("genp"), "agrp": .string(lost[0])])
        let refusal = #expect(throws: KeychainError.self) { try bench.perform(named, ["a"]) }
        #expect((refusal?.reason ?? "").utf8.count < 1 << 10)
        // Only what a command claims is told of it: a later one claims less.
        let other = #expect(throws: KeychainError.self) { try bench.perform(operation, ["a"]) }
        #expect(other?.reason.contains("flatpak") == false)
    }

    @Test("a program that lost its identity is told so where it finds nothing, and names the group of what it adds")
    func lostIdentity() throws {
        let loss = "it was signed before; sign it"
        let lost = bench.program(ClientIdentity(.anonymous, reasons: [loss], loss: loss))
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("1"), PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        var named = item
        named["agrp"] = .string("a")
        for (operation, expected) in [
            (.copyMatching(["class": .string("genp")]), .itemNotFound), (.add(item), .missingEntitlement),
            (
                .set(["class": .string("genp"), "acct": .string("1")], attributes: [:], addition: item),
                .missingEntitlement
            ),
        ] as [(KeychainRequest.Operation, Status)] {
            let error = #expect(throws: KeychainError.self) { try bench.perform(operation, ["a"], of: lost) }
            #expect(error?.status == expected)
            #expect(error?.reason.contains(loss) == true, "\(error?.reason ?? "")")
            #expect(error?.kind == .lostIdentity)
        }
        #expect(throws: Never.self) { try bench.perform(.add(named), ["a"], of: lost) }
        #expect(throws: Never.self) { try bench.perform(.copyMatching(["class": .string("genp")]), ["a"], of: lost) }
        let owned = "\(UserProgramBench.team).b"
        let fewer = bench.program(
            ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned], isConfined: true, reasons: [loss], loss: loss)
        )
        let missing = #expect(throws: KeychainError.self) {
            try bench.perform(.copyMatching(["class": .string("genp")]), [owned], of: fewer)
        }
        #expect(missing?.reason.contains(loss) == true, "\(missing?.reason ?? "")")
        #expect(throws: Never.self) { try bench.perform(.add(item), [owned], of: fewer) }
    }
}
