// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What a program may do, by who it is.
struct UserProgramTests {
    private static let team = "ABCDEFGHIJKLMNOPQRSTUVWX23"

    private static let anonymous = ClientIdentity(.anonymous)

    private let keychain: EmbeddedKeychain
    private let life: DaemonLife
    private let proofs = PasscodeProofs()
    private let peer: UserProgram

    init() {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.attemptLimit = ProgramKeychain.attemptLimit
        keychain = EmbeddedKeychain.inMemory(device: device)
        life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        peer = UserProgram(
            ProcessInstance(identifier: 7, startTime: 1),
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life
        )
    }

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
    func ownership(_ group: String, _ isOwned: Bool) { #expect((Self.anonymous.refusal(of: group) != nil) == isOwned) }

    @Test("groups without an owner are taken as the process says")
    func claimedGroups() throws {
        #expect(try groups(["a", "TEAMID1234.b"]) == ["a", "TEAMID1234.b"])
        #expect(try groups(["a", "\(Self.team).b"], .copyMatching(["class": .string("genp")])) == ["a"])
    }

    @Test("a program is notified of changes in the groups that it may use, and in no others that it claims")
    func changes() throws {
        let owned = "\(Self.team).b"
        let known = ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned])
        let program = UserProgram(
            ProcessInstance(identifier: 8, startTime: 1),
            as: known,
            keychain: keychain,
            proofs: proofs,
            life: life
        )
        for (program, claimed, told) in [
            (peer, ["a", owned], ["a"]), (peer, [Client.everyGroup], ["a", "other"]), (peer, [], []),
            (program, ["a"], ["a", owned]), (program, [Client.everyGroup], ["a", owned, "other"]),
        ] {
            let filter = try program.changeFilter(for: Client(accessGroups: claimed))
            let groups = ["a", owned, "other", "flatpak/org.example.App"]
            #expect(groups.filter(filter.contains) == told)
        }
        let clip = Client(accessGroups: ["a"], appClipIdentifier: "clip")
        #expect(["a", "clip"].filter(try peer.changeFilter(for: clip).contains) == ["clip"])
    }

    @Test("a group that has an owner is refused where it is named, or would be the default of an add")
    func ownedGroups() throws {
        let owned = "\(Self.team).b"
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string(owned)]
        for operation in [
            .add(named), .copyMatching(named), .delete(named), .update(["class": .string("genp")], attributes: named),
        ] as [KeychainRequest.Operation] {
            let refusal = #expect(throws: KeychainError.self) { try groups(["a", owned], operation) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self) { try groups([owned, "a"], .add(["class": .string("genp")])) }
        #expect(throws: KeychainError.self) { try groups([owned], .copyMatching(["class": .string("genp")])) }
    }

    /// Adds an item to a group, as a program that has it.
    private func add(_ account: String, to group: String, _ more: [String: PropertyValue] = [:]) throws {
        let item: [String: PropertyValue] = [
            "class": .string("genp"), "acct": .string(account), "agrp": .string(group),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        let dictionary = PropertyDictionary(item.merging(more) { $1 })
        _ = try keychain.perform(KeychainRequest(.add(dictionary), client: Client(accessGroups: [group])))
    }

    private static let everything: PropertyDictionary = [
        "class": .string("genp"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
        PropertyKey.returnAttributes: .boolean(true),
    ]

    /// What a call of the program gives.
    private func perform(
        _ operation: KeychainRequest.Operation,
        _ claimed: [String],
        of program: UserProgram? = nil
    ) throws(KeychainError) -> KeychainAnswer {
        let program = program ?? peer
        let request = KeychainRequest(operation, client: Client(accessGroups: claimed))
        let command = KeychainCommand.items(request)
        guard case .answer(let answer) = try program.perform(try program.permitted(command), sentAs: command) else {
            throw KeychainError(.internalComponent, "not an answer")
        }
        return answer
    }

    @Test("every group stands for two whose names differ in their bytes alone as well")
    func canonicallyEquivalentGroups() throws {
        let named = ["gr\u{E9}", "gre\u{301}"]
        for group in named { try add("a", to: group) }
        let stored = try groups(["*"], .copyMatching(Self.everything))
        #expect(named.allSatisfy { name in stored.contains { $0.utf8.elementsEqual(name.utf8) } })
    }

    @Test("every group stands for those that items are in and nobody owns, always in the same order")
    func everyGroup() throws {
        for (account, group) in [("1", "b"), ("2", "a"), ("3", "\(Self.team).c")] { try add(account, to: group) }
        #expect(
            try groups(["swift-keychain.common", "*"], .copyMatching(Self.everything)) == [
                Client.commonGroup, "a", "b",
            ]
        )
        guard case .list(let items) = try perform(.copyMatching(Self.everything), ["*"]) else {
            return #expect(Bool(false))
        }
        #expect(items.count == 2)
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string("new")]
        #expect(try groups(["*"], .copyMatching(named)).contains("new"))
    }

    @Test("a program with every group searches an empty keychain, and has to name the group of what it adds")
    func onlyEveryGroup() throws {
        let nothing = #expect(throws: KeychainError.self) { try perform(.copyMatching(Self.everything), ["*"]) }
        #expect(nothing?.status == .itemNotFound)
        try add("1", to: "a")
        let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("2")]
        let unnamed = #expect(throws: KeychainError.self) { try perform(.add(item), ["*"]) }
        #expect(unnamed?.status == .missingEntitlement)
    }

    @Test("while the device is locked, a locked or damaged item hides no other, and is not missing")
    func everyGroupLocked() throws {
        try keychain.device.setPasscode(SecretBytes([1]))
        try add("locked", to: "a", ["pdmn": .string("ak")])
        try add("locked", to: "b", ["pdmn": .string("ak")])
        try add("open", to: "b", ["pdmn": .string("ck")])
        try add("open", to: "c", ["pdmn": .string("ck")])
        _ = try perform(.copyMatching(Self.everything), ["*"])
        try keychain.device.lock()
        for (account, group, expected) in [
            ("open", "b", .success), ("open", "c", .success), ("locked", "b", .interactionNotAllowed),
            ("locked", "a", .interactionNotAllowed), ("other", nil, .itemNotFound),
        ] as [(String, String?, Status)] {
            var query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
            if let group { query["agrp"] = .string(group) }
            #expect(status(.copyMatching(query)) == expected, "\(account), \(group ?? "")")
        }
        #expect(status(.copyMatching(["class": .string("genp"), "acct": .string("locked")])) == .interactionNotAllowed)
    }

    private func status(_ operation: KeychainRequest.Operation) -> Status {
        do throws(KeychainError) {
            _ = try perform(operation, ["*"])
            return .success
        } catch { return error.status }
    }

    @Test("a group that is given as bytes has an owner as well")
    func groupAsBytes() throws {
        for value in [.data(SecretBytes(Array("\(Self.team).b".utf8))), .uuid("\(Self.team).b")] as [PropertyValue] {
            let query: PropertyDictionary = ["class": .string("genp"), "agrp": value]
            let refusal = #expect(throws: KeychainError.self) { try groups(["a"], .copyMatching(query)) }
            #expect(refusal?.status == .missingEntitlement)
        }
    }

    @Test("an explanation for the owner shows no secret of others: the call that is carried out is the program's")
    func explainedCall() throws {
        try add("1", to: "\(Self.team).c")
        var query = Self.everything
        query[PropertyKey.returnData] = .boolean(true)
        for operation in [.copyMatching(query), .delete(["class": .string("genp")])] as [KeychainRequest.Operation] {
            let call = KeychainRequest(operation, client: Client(accessGroups: ["*"]))
            let request = ExplanationRequest(call, ExplanationOptions(scope: .owner))
            let command = KeychainCommand.itemsExplained(request)
            let reply = try peer.perform(try peer.permitted(command), sentAs: command)
            guard case .explained(let outcome) = reply else { return #expect(Bool(false)) }
            #expect(throws: KeychainError.self) { try outcome.result.get() }
            #expect(outcome.explanation?.search?.candidates.count == 1, "the owner sees its attributes")
        }
        #expect(try keychain.storedRows().count == 1)
    }

    @Test("where a program lost a group, a search that finds nothing says so")
    func lostGroup() throws {
        let lost = "\(Self.team).c"
        try add("1", to: lost)
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string("1")]
        for operation in [
            .copyMatching(query), .delete(query), .update(query, attributes: ["labl": .string("x")]),
        ] as [KeychainRequest.Operation] {
            let error = #expect(throws: KeychainError.self) { try perform(operation, ["a", lost]) }
            #expect(error?.status == .itemNotFound)
            #expect(error?.reason.contains(lost) == true, "\(error?.reason ?? "")")
            let other = #expect(throws: KeychainError.self) { try perform(operation, ["a"]) }
            #expect(other?.reason.contains(lost) == false)
        }
        let set = KeychainRequest.Operation.set(query, attributes: [:], addition: query)
        let refusal = #expect(throws: KeychainError.self) { try perform(set, [lost, "a"]) }
        #expect(refusal?.status == .missingEntitlement, "it would be stored in another group than before")
    }

    @Test("the groups that were not searched are named in a text of limited length, and nothing is kept of them")
    func manyLostGroups() throws {
        let lost = (0..<40).map { "flatpak/\($0)." + String(repeating: "x", count: 1 << 20) }
        let operation = KeychainRequest.Operation.copyMatching(["class": .string("genp"), "acct": .string("1")])
        let error = #expect(throws: KeychainError.self) { try perform(operation, ["a"] + lost) }
        let reason = error?.reason ?? ""
        #expect(reason.utf8.count < 16 << 10)
        #expect(reason.contains("'flatpak/15.x") && !reason.contains("flatpak/16.") && reason.contains("and 24 more"))
        let named = KeychainRequest.Operation.copyMatching(["class": .string("genp"), "agrp": .string(lost[0])])
        let refusal = #expect(throws: KeychainError.self) { try perform(named, ["a"]) }
        #expect((refusal?.reason ?? "").utf8.count < 1 << 10)
        // Only what a command claims is told of it: a later one claims less.
        let other = #expect(throws: KeychainError.self) { try perform(operation, ["a"]) }
        #expect(other?.reason.contains("flatpak") == false)
    }

    @Test("a program that lost its identity is told so where it finds nothing, and names the group of what it adds")
    func lostIdentity() throws {
        let loss = "it was signed before; sign it"
        let lost = program(ClientIdentity(.anonymous, reasons: [loss], loss: loss))
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
            let error = #expect(throws: KeychainError.self) { try perform(operation, ["a"], of: lost) }
            #expect(error?.status == expected)
            #expect(error?.reason.contains(loss) == true, "\(error?.reason ?? "")")
            #expect(error?.kind == .lostIdentity)
        }
        #expect(throws: Never.self) { try perform(.add(named), ["a"], of: lost) }
        #expect(throws: Never.self) { try perform(.copyMatching(["class": .string("genp")]), ["a"], of: lost) }
        let owned = "\(Self.team).b"
        let fewer = program(
            ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned], isConfined: true, reasons: [loss], loss: loss)
        )
        let missing = #expect(throws: KeychainError.self) {
            try perform(.copyMatching(["class": .string("genp")]), [owned], of: fewer)
        }
        #expect(missing?.reason.contains(loss) == true, "\(missing?.reason ?? "")")
        #expect(throws: Never.self) { try perform(.add(item), [owned], of: fewer) }
    }

    @Test("what an app clip or a network extension may is not taken on trust")
    func specialClients() throws {
        var client = Client(accessGroups: ["a"], isNetworkExtension: true)
        let query: PropertyDictionary = ["class": .string("genp")]
        let command = try peer.permitted(.items(KeychainRequest(.copyMatching(query), client: client)))
        guard case .items(let request) = command else { return #expect(Bool(false)) }
        #expect(!request.client.isNetworkExtension)
        client.appClipIdentifier = "\(Self.team).clip"
        #expect(throws: KeychainError.self) {
            try peer.permitted(.items(KeychainRequest(.copyMatching(query), client: client)))
        }
    }

    @Test("what is the owner's takes the passcode, of this process and not long ago")
    func ownersCommands() throws {
        let call = KeychainRequest(.copyMatching(["class": .string("genp")]), client: .person)
        let commands: [KeychainCommand] = [
            .maintenance(.check), .device(.setPolicy(DevicePolicy())),
            .explain(ExplanationRequest(call, ExplanationOptions(scope: .owner))),
            .itemsExplained(ExplanationRequest(call, ExplanationOptions(scope: .owner))),
        ]
        for command in commands { #expect(throws: Never.self) { try peer.permitted(command) } }
        try keychain.device.setPasscode(SecretBytes([1]))
        for command in commands {
            let refusal = #expect(throws: KeychainError.self) { try peer.permitted(command) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self) { try peer.backend.device.unlock(passcode: SecretBytes([2])) }
        #expect(throws: KeychainError.self) { try peer.permitted(commands[0]) }
        try peer.backend.device.unlock(passcode: SecretBytes([1]))
        for command in commands { #expect(throws: Never.self) { try peer.permitted(command) } }
        let other = UserProgram(
            ProcessInstance(identifier: 7, startTime: 2),
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life
        )
        #expect(throws: KeychainError.self) { try other.permitted(commands[0]) }
        try peer.backend.device.lock()
        #expect(throws: KeychainError.self) { try peer.permitted(commands[0]) }
    }

    @Test("a scheduled backup is made for any program but one in a sandbox, and its secret is set by the owner alone")
    func scheduledBackup() throws {
        let make = KeychainCommand.maintenance(.createBackup(BackupRequest(to: .reply, secret: .ofSchedule)))
        let given = KeychainCommand.maintenance(
            .createBackup(BackupRequest(to: .reply, secret: .given(SecretBytes([1]))))
        )
        let set = KeychainCommand.maintenance(.setBackupSecret(SecretBytes([1])))
        try keychain.device.setPasscode(SecretBytes([1]))
        #expect(throws: Never.self) { try peer.permitted(make) }
        for command in [given, set] { #expect(throws: KeychainError.self) { try peer.permitted(command) } }
        let app = program(
            ClientIdentity(
                .flatpak("org.example.App"),
                ownedGroups: ["flatpak/org.example.App"],
                ownedPrefix: "flatpak/org.example.App/",
                isConfined: true,
                isSandboxed: true
            )
        )
        #expect(throws: KeychainError.self) { try app.permitted(make) }
    }

    @Test("a known program has its own groups first, and can add to them without naming one")
    func knownProgram() throws {
        let owned = "\(Self.team).b"
        let program = program(ClientIdentity(.rootManifest("/etc/x"), ownedGroups: [owned]))
        #expect(try groups(["a"], of: program) == [owned, "a"])
        let named: PropertyDictionary = ["class": .string("genp"), "agrp": .string(owned)]
        #expect(try groups(["a", owned], .delete(named), of: program) == [owned, "a"])
        let other: PropertyDictionary = ["class": .string("genp"), "agrp": .string("\(Self.team).c")]
        #expect(throws: KeychainError.self) { try groups(["\(Self.team).c"], .copyMatching(other), of: program) }
        let confined = self.program(ClientIdentity(.rootManifest("/etc/x"), ownedGroups: ["x"], isConfined: true))
        #expect(try groups(["a", "x"], of: confined) == ["x"])
    }

    @Test("while no passcode is set, the system service stores nothing in groups of which a program is the owner")
    func ownGroupsWithoutPasscode() throws {
        let owned = "\(Self.team).b"
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
            (unit, .add(any), false), (unit, .add(named), true), (Self.anonymous, .add(any), true),
            (unit, .update(named, attributes: any), true), (unit, .set(named, attributes: any, addition: any), false),
            (unit, .set(named, attributes: any, addition: named), true),
        ]
        for (identity, operation, isPermitted) in operations {
            for isSystemService in [true, false] {
                let program = program(identity, isSystemService: isSystemService)
                var refusal: KeychainError?
                do throws(KeychainError) { _ = try groups(["a"], operation, of: program) } catch { refusal = error }
                let isRefused = isSystemService && !isPermitted
                #expect(refusal?.status == (isRefused ? .notAvailable : nil), "\(identity.kind), \(operation)")
                #expect(!isRefused || refusal?.reason.contains("device set-passcode") == true)
            }
        }
        try keychain.device.setPasscode(SecretBytes([1]))
        for (identity, operation, _) in operations {
            #expect(throws: Never.self) { try groups(["a"], operation, of: program(identity, isSystemService: true)) }
        }
    }

    @Test("a sandbox is never the owner, unless the owner of the system says so")
    func sandboxes() throws {
        let check = KeychainCommand.maintenance(.check)
        let sandbox = program(ClientIdentity(.flatpak("org.example.App"), ownedGroups: ["flatpak/org.example.App"]))
        #expect(throws: KeychainError.self) { try sandbox.permitted(check) }
        try keychain.device.setPasscode(SecretBytes([1]))
        try sandbox.backend.device.unlock(passcode: SecretBytes([1]))
        #expect(throws: KeychainError.self) { try sandbox.permitted(check) }
        let trusted = program(ClientIdentity(.rootManifest("/etc/x"), hasOwnerRights: true))
        #expect(try trusted.permitted(check) == check)
    }

    @Test("a program that is not the one any more is not answered")
    func looksAgain() {
        let refusal = KeychainError(.missingEntitlement, "it has ended")
        let program = UserProgram(
            peer.process,
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: life,
            reidentify: { () throws(KeychainError) in throw refusal }
        )
        #expect(throws: refusal) { try program.confirm() }
    }

    @Test("a daemon that nobody uses ends, unless it holds keys that an end would lose")
    func idle() throws {
        let keychain = keychain
        func life(_ seconds: Int?) -> DaemonLife {
            DaemonLife(endsWhenIdleFor: seconds, holdsKeys: { keychain.holdsUnlockedKeys }, wake: {})
        }
        let used = life(0)
        #expect(used.isIdle)
        let peer = UserProgram(
            ProcessInstance(identifier: 1, startTime: 1),
            as: Self.anonymous,
            keychain: keychain,
            proofs: proofs,
            life: used
        )
        #expect(!used.isIdle)
        withExtendedLifetime(peer) {}
        #expect(!life(nil).isIdle)
        #expect(!life(3600).isIdle)
        try keychain.device.setPasscode(SecretBytes([1]))
        #expect(!life(0).isIdle)
        try keychain.device.lock()
        #expect(!life(0).isIdle, "items that need one unlock can still be read")
    }

    private func program(_ identity: ClientIdentity, isSystemService: Bool = false) -> UserProgram {
        let process = ProcessInstance(identifier: 8, startTime: 1)
        return UserProgram(
            process,
            as: identity,
            keychain: keychain,
            proofs: proofs,
            life: life,
            isSystemService: isSystemService
        )
    }

    private func groups(
        _ claimed: [String],
        _ operation: KeychainRequest.Operation = .add(["class": .string("genp")]),
        of program: UserProgram? = nil
    ) throws(KeychainError) -> [String] {
        let request = KeychainRequest(operation, client: Client(accessGroups: claimed))
        guard case .items(let permitted) = try (program ?? peer).permitted(.items(request)) else { return [] }
        return permitted.client.accessGroups
    }
}
