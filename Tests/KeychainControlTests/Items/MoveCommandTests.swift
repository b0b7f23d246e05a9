// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl move`: items of a program's former name, in memory and on disk.
struct MoveCommandTests {
    private static let former = Client(accessGroups: [Client.group(ofProgram: "tool-1.0"), Client.commonGroup])
    private static let present = Client(accessGroups: [Client.group(ofProgram: "tool-1.1"), Client.commonGroup])
    private static let words = ["move", "--from-program", "tool-1.0", "--to-program", "tool-1.1"]

    /// The places of a keychain.
    enum Place: CaseIterable {
        case memory
        case disk

        func keychain(_ folder: TemporaryFolder) -> EmbeddedKeychain {
            switch self {
            case .memory: .inMemory(device: .withNegligibleWork)
            case .disk: EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: .withNegligibleWork)
            }
        }
    }

    private static func add(
        _ keychain: EmbeddedKeychain,
        _ account: String,
        secret: String,
        as client: Client = former,
        with more: PropertyDictionary = [:]
    ) throws {
        var item: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("service"), "acct": .string(account),
            "v_Data": .data(SecretBytes(Array(secret.utf8))),
        ]
        for (key, value) in more.entries.dictionary { item[key] = value }
        _ = try keychain.perform(KeychainRequest(.add(item), client: client))
    }

    private static func secret(_ keychain: EmbeddedKeychain, _ account: String, as client: Client) -> String? {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.returnData: .boolean(true),
            "sync": .string(PropertyKey.synchronizableAny),
            "agrp": .string(client.accessGroups[0]),
        ]
        let answer = try? keychain.perform(KeychainRequest(.copyMatching(query), client: client))
        guard case .single(.data(let secret))? = answer else { return nil }
        return String(decoding: secret.unprotectedCopy, as: UTF8.self)
    }

    @Test(
        "items of every class are moved, secrets and all, and the dry run says the same before",
        arguments: Place.allCases
    )
    func moves(_ place: Place) throws {
        let folder = try TemporaryFolder()
        let keychain = place.keychain(folder)
        try Self.add(keychain, "ada", secret: "first")
        try Self.add(keychain, "bert", secret: "second", as: Self.former, with: ["sync": .boolean(true)])
        let server: PropertyDictionary = [
            "class": .string("inet"), "srvr": .string("example.com"), "v_Data": .data(SecretBytes([1])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(server), client: Self.former))
        try Self.add(keychain, "other", secret: "third", as: Client(accessGroups: ["another"]))
        let dry = try Control(keychain).run(Self.words + ["--dry-run"])
        #expect(dry.status == 0 && dry.output.hasPrefix("Would move 3 items"), "\(dry)")
        #expect(Self.secret(keychain, "ada", as: Self.former) == "first")
        #expect(Self.secret(keychain, "ada", as: Self.present) == nil)
        let done = try Control(keychain).run(Self.words)
        #expect(done.status == 0 && done.output.hasPrefix("Moved 3 items"), "\(done)")
        for name in ["genp  service/ada", "genp  service/bert", "inet  example.com"] {
            #expect(dry.output.contains(name) && done.output.contains(name), "\(name)")
        }
        #expect(Self.secret(keychain, "ada", as: Self.present) == "first")
        #expect(Self.secret(keychain, "bert", as: Self.present) == "second")
        #expect(Self.secret(keychain, "ada", as: Self.former) == nil)
        #expect(Self.secret(keychain, "other", as: Client(accessGroups: ["another"])) == "third")
        #expect(try keychain.check().isSound)
        let empty = try Control(keychain).run(Self.words)
        #expect(empty.status == 1 && empty.error.contains("there is no item"), "\(empty)")
    }

    @Test(
        "an item that the other group has is listed, nothing is replaced, and nothing moved",
        arguments: Place.allCases
    )
    func collisions(_ place: Place) throws {
        let folder = try TemporaryFolder()
        let keychain = place.keychain(folder)
        try Self.add(keychain, "ada", secret: "former")
        try Self.add(keychain, "bert", secret: "second")
        try Self.add(keychain, "ada", secret: "present", as: Self.present)
        for words in [Self.words + ["-n"], Self.words] {
            let outcome = try Control(keychain).run(words)
            #expect(outcome.status == 1 && outcome.output.contains("Nothing is moved"), "\(outcome)")
            #expect(outcome.output.contains("service/ada") && !outcome.output.contains("service/bert"), "\(outcome)")
            #expect(Self.secret(keychain, "bert", as: Self.former) == "second")
        }
        let apart = try Control(keychain).run(Self.words + ["--partial"])
        #expect(apart.status == 1 && apart.output.hasPrefix("Moved 1 item"), "\(apart)")
        #expect(Self.secret(keychain, "bert", as: Self.present) == "second")
        #expect(Self.secret(keychain, "ada", as: Self.former) == "former")
        #expect(Self.secret(keychain, "ada", as: Self.present) == "present")
    }

    /// What keeps an item where it is, and the words for it.
    enum Obstacle: String, CaseIterable {
        case exists = "in swift-keychain.program.tool-1.1 already"
        case neverReadable = "its access control permits no reading"
        case damagedSecret = "genp  service/bert: damaged"
        case damagedAttributes = "genp  (unnamed): damaged"
        case needsOwner = "its access control cannot be satisfied: authentication is required"

        /// A keychain with an item that can be moved, and one that cannot.
        func keychain(_ folder: TemporaryFolder) throws -> EmbeddedKeychain {
            let keychain = Place.disk.keychain(folder)
            try MoveCommandTests.add(keychain, "ada", secret: "first")
            switch self {
            case .exists:
                try MoveCommandTests.add(keychain, "bert", secret: "former")
                try MoveCommandTests.add(keychain, "bert", secret: "present", as: present)
            case .neverReadable:
                // A simulator looks at no access control.
                var simulator = DeviceOptions.withNegligibleWork
                simulator.personality = .simulator
                try MoveCommandTests.add(
                    EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: simulator),
                    "bert",
                    secret: "second",
                    with: Self.access([.privateKeyUsage, .userPresence])
                )
            case .damagedSecret, .damagedAttributes:
                try MoveCommandTests.add(keychain, "bert", secret: "second")
                let column = self == .damagedSecret ? "secret" : "metadata"
                try RawStore(path: folder.path(of: "k/keychain.db"))
                    .execute("UPDATE items_genp SET \(column) = randomblob(length(\(column))) WHERE id = 2")
            case .needsOwner:
                try keychain.device.setPasscode(SecretBytes([1]))
                try MoveCommandTests.add(keychain, "bert", secret: "second", with: Self.access(.userPresence))
            }
            return keychain
        }

        private static func access(_ flags: AccessControlFlags) throws -> PropertyDictionary {
            let constraints = try #require(AccessConstraints(flags))
            return ["accc": .accessControl(AccessControl(protection: .whenUnlocked, constraints: constraints))]
        }
    }

    @Test(
        "a dry run and the move name the same obstacles, and promise the same",
        arguments: Obstacle.allCases,
        [false, true]
    )
    func agreement(_ obstacle: Obstacle, isPartial: Bool) throws {
        let folder = try TemporaryFolder()
        let keychain = try obstacle.keychain(folder)
        let words = Self.words + (isPartial ? ["--partial"] : [])
        let dry = try Control(keychain).run(words + ["--dry-run"])
        #expect(Self.secret(keychain, "ada", as: Self.former) == "first")
        let done = try Control(keychain).run(words)
        #expect(dry.status == 1 && done.status == 1, "\(dry) \(done)")
        #expect(dry.output.contains(obstacle.rawValue), "\(dry)")
        let promised = dry.output.replacing("Would move", with: "Moved")
            .replacing(", as it would be without --dry-run", with: "")
        #expect(promised == done.output)
        #expect(done.output.hasPrefix(isPartial ? "Moved 1 item" : "Nothing is moved."))
        #expect(Self.secret(keychain, "ada", as: isPartial ? Self.present : Self.former) == "first")
    }

    @Test("a deleted item in the other group, of which a tombstone is left, is no collision")
    func tombstone() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let sync: PropertyDictionary = ["sync": .boolean(true)]
        try Self.add(keychain, "ada", secret: "present", as: Self.present, with: sync)
        let query: PropertyDictionary = ["class": .string("genp"), "sync": .boolean(true)]
        _ = try keychain.perform(KeychainRequest(.delete(query), client: Self.present))
        try Self.add(keychain, "ada", secret: "former", as: Self.former, with: sync)
        let outcome = try Control(keychain).run(Self.words)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(Self.secret(keychain, "ada", as: Self.present) == "former")
    }

    @Test("items that are locked stay, all of them, and the dry run of a locked keychain says why")
    func locked() throws {
        let keychain = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
        try Self.add(keychain, "always", secret: "first", as: Self.former, with: ["pdmn": .string("dku")])
        try Self.add(keychain, "ada", secret: "second")
        try keychain.device.setPasscode(SecretBytes([1]))
        try keychain.device.lock()
        for words in [Self.words, Self.words + ["--dry-run"]] {
            let outcome = try Control(keychain).run(words)
            #expect(outcome.status == 1 && outcome.output.isEmpty && !outcome.error.isEmpty, "\(outcome)")
        }
        #expect(Self.secret(keychain, "always", as: Self.former) == "first")
        try keychain.device.unlock(passcode: SecretBytes([1]))
        #expect(try Control(keychain).run(Self.words).status == 0)
        #expect(Self.secret(keychain, "ada", as: Self.present) == "second")
    }

    @Test("an item whose secret is damaged keeps all of them where they are, and is set aside")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let keychain = Place.disk.keychain(folder)
        try Self.add(keychain, "ada", secret: "first")
        try Self.add(keychain, "bert", secret: "second")
        try RawStore(path: folder.path(of: "k/keychain.db"))
            .execute("UPDATE items_genp SET secret = zeroblob(60) WHERE id = 2")
        let outcome = try Control(keychain).run(Self.words)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(Self.secret(keychain, "ada", as: Self.former) == "first")
        #expect(try Control(keychain).run(Self.words).status == 0)
        #expect(Self.secret(keychain, "ada", as: Self.present) == "first")
    }

    @Test(
        "what names no two groups is a usage error",
        arguments: [
            [], ["--from-program", "a"], ["--to-group", "b"],
            ["--from-program", "a", "--from-group", "a", "--to-group", "b"],
            ["--from-program", "", "--to-group", "b"], ["--from-group", "a", "--to-group", "a"],
            ["--from-program", "dir/a", "--to-group", "b"],
            ["--from-program", "a", "--to-group", "swift-keychain.program.a"],
        ]
    )
    func usage(_ words: [String]) throws {
        let outcome = try Control(EmbeddedKeychain.inMemory()).run(["move"] + words)
        #expect(outcome.status == 2 && outcome.remarks.hasPrefix("Error: "), "\(outcome)")
    }

    @Test("the groups of hardware tokens and of everybody are refused", arguments: ["com.apple.token", "*"])
    func refusals(_ group: String) throws {
        let keychain = EmbeddedKeychain.inMemory()
        try Self.add(keychain, "ada", secret: "first")
        let outcome = try Control(keychain).run(["move", "--from-program", "tool-1.0", "--to-group", group])
        #expect(outcome.status == 1 && !outcome.error.isEmpty, "\(outcome)")
        #expect(Self.secret(keychain, "ada", as: Self.former) == "first")
        let client = Client(accessGroups: [Client.group(ofProgram: "tool-1.0")])
        let move = GroupMove(from: client.accessGroups[0], to: "another", client: client)
        let error = #expect(throws: KeychainError.self) { try keychain.maintenance.moveGroup(move) }
        #expect(error?.status == .missingEntitlement)
    }
}
