// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The groups of a program: those that it claims, and those of its identity.
struct UserProgramGroupTests {
    private let bench = UserProgramBench()

    @Test(
        "groups that begin with a team identifier have an owner",
        arguments: [
            ("ABCDEFGHIJKLMNOPQRSTUVWX23.com.example", true), ("ABCDEFGHIJKLMNOPQRSTUVWX23.", true),
            ("ABCDEFGHIJKLMNOPQRSTUVWX23", false), ("ABCDEFGHIJKLMNOPQRSTUVWX2.com.example", false),
            ("ABCDEFGHIJKLMNOPQRSTUVWX234.com.example", false), ("ABCDEFGHIJKLMNOPQRSTUVWX21.x", false),
            ("ABCDEFGHIJKLMNOPQRSTUVWX28.x", false), ("abcdefghijklmnopqrstuvwx23.x", false),
            ("TEAMID1234.com.example", false), ("swift-keychain.common", false), ("", false), (".", false),
            ("*", true), (ScheduledBackup.accessGroup, true), ("flatpak/org.example.App", true), ("snap/example", true),
            ("systemd/example.service", true),
        ]
    )
    func ownership(_ group: String, _ isOwned: Bool) {
        #expect((UserProgramBench.anonymous.refusal(of: group) != nil) == isOwned)
    }

    @Test("groups without an owner are taken as the process says")
    func claimedGroups() throws {
        #expect(try bench.groups(["a", "TEAMID1234.b"]) == ["a", "TEAMID1234.b"])
        #expect(
            try bench.groups(["a", "\(UserProgramBench.team).b"], .copyMatching(["class": .string("genp")])) == ["a"]
        )
    }

    @Test("a program is notified of changes in the groups that it may use, and in no others that it claims")
    func changes() throws {
        let owned = "\(UserProgramBench.team).b"
        let known = ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned])
        let program = bench.program(known)
        for (program, claimed, told) in [
            (bench.peer, ["a", owned], ["a"]), (bench.peer, [Client.everyGroup], ["a", "other"]), (bench.peer, [], []),
            (program, ["a"], ["a", owned]), (program, [Client.everyGroup], ["a", owned, "other"]),
        ] {
            let filter = try program.changeFilter(for: Client(accessGroups: claimed))
            let groups = ["a", owned, "other", "flatpak/org.example.App"]
            #expect(groups.filter(filter.contains) == told)
        }
        let clip = Client(accessGroups: ["a"], appClipIdentifier: "clip")
        #expect(["a", "clip"].filter(try bench.peer.changeFilter(for: clip).contains) == ["clip"])
    }

    @Test("a group that has an owner is refused where it is named, or would be the default of an add")
    func ownedGroups() throws {
        let owned = "\(UserProgramBench.team).b"
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string(owned)]
        for operation in [
            .add(named), .copyMatching(named), .delete(named), .update(["class": .string("genp")], attributes: named),
        ] as [KeychainRequest.Operation] {
            let refusal = #expect(throws: KeychainError.self) { try bench.groups(["a", owned], operation) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self) { try bench.groups([owned, "a"], .add(["class": .string("genp")])) }
        #expect(throws: KeychainError.self) { try bench.groups([owned], .copyMatching(["class": .string("genp")])) }
    }

    @Test("a group that is given as bytes has an owner as well")
    func groupAsBytes() throws {
        for value in [
            .data(SecretBytes(Array("\(UserProgramBench.team).b".utf8))), .uuid("\(UserProgramBench.team).b"),
        ] as [PropertyValue] {
            let query: PropertyDictionary = ["class": .string("genp"), "agrp": value]
            let refusal = #expect(throws: KeychainError.self) { try bench.groups(["a"], .copyMatching(query)) }
            #expect(refusal?.status == .missingEntitlement)
        }
    }

    @Test("what an app clip or a network extension may is not taken on trust")
    func specialClients() throws {
        var client = Client(accessGroups: ["a"], isNetworkExtension: true)
        let query: PropertyDictionary = ["class": .string("genp")]
        let command = try bench.peer.permitted(.items(KeychainRequest(.copyMatching(query), client: client)))
        guard case .items(let request) = command else { return #expect(Bool(false)) }
        #expect(!request.client.isNetworkExtension)
        client.appClipIdentifier = "\(UserProgramBench.team).clip"
        #expect(throws: KeychainError.self) {
            try bench.peer.permitted(.items(KeychainRequest(.copyMatching(query), client: client)))
        }
    }

    @Test("a known program has its own groups first, and can add to them without naming one")
    func knownProgram() throws {
        let owned = "\(UserProgramBench.team).b"
        let program = bench.program(ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned]))
        #expect(try bench.groups(["a"], of: program) == [owned, "a"])
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string(owned)]
        #expect(try bench.groups(["a", owned], .delete(named), of: program) == [owned, "a"])
        let other: PropertyDictionary = ["class": .string("genp"), "agrp": .string("\(UserProgramBench.team).c")]
        #expect(throws: KeychainError.self) {
            try bench.groups(["\(UserProgramBench.team).c"], .copyMatching(other), of: program)
        }
        let confined = bench.program(ClientIdentity(.rootManifest("/etc/x"), ownedGroups: ["x"], isConfined: true))
        #expect(try bench.groups(["a", "x"], of: confined) == ["x"])
    }

    @Test("while no passcode is set, the system service stores nothing in groups of which a program is the owner")
    func ownGroupsWithoutPasscode() throws {
        let owned = "\(UserProgramBench.team).b"
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string("a")]
        let signed = ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned], isConfined: true)
        let app = ClientIdentity(
            .flatpak("org.example.App"),
            ownedGroups: ["flatpak/org.example.App"],
            ownedPrefix: "flatpak/org.example.App/",
            isConfined: true
        )
        let unit = ClientIdentity(.systemUnit("x.service"), ownedGroups: ["systemd/x.service"])
        let any: PropertyDictionary = ["class": .string("genp")]
        let cache: PropertyDictionary = ["class": .string("genp"), "agrp": .string("flatpak/org.example.App/cache")]
        let operations: [(ClientIdentity, KeychainRequest.Operation, Bool)] = [
            (signed, .add(any), false), (signed, .update(any, attributes: any), false),
            (signed, .set(any, attributes: any, addition: any), false), (signed, .copyMatching(any), true),
            (signed, .delete(any), true), (app, .add(cache), false), (app, .copyMatching(cache), true),
            (unit, .add(any), false), (unit, .add(named), true), (UserProgramBench.anonymous, .add(any), true),
            (unit, .update(named, attributes: any), true), (unit, .set(named, attributes: any, addition: any), false),
            (unit, .set(named, attributes: any, addition: named), true),
        ]
        for (identity, operation, isPermitted) in operations {
            for isSystemService in [true, false] {
                let program = bench.program(identity, isSystemService: isSystemService)
                var refusal: KeychainError?
                do throws(KeychainError) { _ = try bench.groups(["a"], operation, of: program) } catch {
                    refusal = error
                }
                let isRefused = isSystemService && !isPermitted
                #expect(refusal?.status == (isRefused ? .notAvailable : nil), "\(identity.kind), \(operation)")
                #expect(!isRefused || refusal?.reason.contains("device set-passcode") == true)
            }
        }
        try bench.keychain.device.setPasscode(SecretBytes([1]))
        for (identity, operation, _) in operations {
            #expect(throws: Never.self) {
                try bench.groups(["a"], operation, of: bench.program(identity, isSystemService: true))
            }
        }
    }
}
