// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainRouting
import KeychainServer
import KeychainTestSupport
import LoginManager
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// What the system service gives to programs, and when it opens and closes keychains.
struct SystemAdmissionTests {
    private static let team = "ABCDEFGHIJKLMNOPQRSTUVWX23"

    private let keychain: EmbeddedKeychain
    private let opened = Counter()
    private let admission: SystemAdmission
    private let server: TestServer

    init() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        self.keychain = keychain
        var options = PartitionOptions()
        options.idleSeconds = 0
        options.accountName = { "user\($0)" }
        options.open = { [opened] _ in
            opened.add()
            return OpenedStore(keychain)
        }
        options.identities = { (_) throws(KeychainError) in try IdentityService(IdentityOptions(), folder: nil) }
        admission = SystemAdmission(options)
        server = try TestServer(admission: admission)
    }

    @Test("a program without a manifest finds no item of a team, and is refused the team's group")
    func teamGroups() throws {
        let group = "\(Self.team).com.example.shared"
        var item = Self.item("name")
        item["agrp"] = .string(group)
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: [group])))
        let client = Client(accessGroups: ["example", group])
        let program = server.client()
        var query: PropertyDictionary = ["class": .string("genp"), PropertyKey.returnData: .boolean(true)]
        let hidden = #expect(throws: KeychainError.self) {
            try program.perform(KeychainRequest(.copyMatching(query), client: client))
        }
        #expect(hidden?.status == .itemNotFound)
        query["agrp"] = .string(group)
        for operation in [.copyMatching(query), .delete(query), .add(item)] as [KeychainRequest.Operation] {
            let refusal = #expect(throws: KeychainError.self) {
                try program.perform(KeychainRequest(operation, client: client))
            }
            #expect(refusal?.status == .missingEntitlement)
        }
    }

    @Test("items are moved between groups that belong to nobody, and neither out of nor into the group of a team")
    func moveGroups() throws {
        let team = "\(Self.team).com.example.shared"
        let (former, present) = (Client.group(ofProgram: "tool-1.0"), Client.group(ofProgram: "tool-1.1"))
        for group in [team, former] {
            var item = Self.item("name")
            item["agrp"] = .string(group)
            _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: [group])))
        }
        let maintenance = server.client().maintenance
        for move in [GroupMove(from: team, to: present), GroupMove(from: former, to: team)] {
            for isRehearsal in [true, false] {
                var move = move
                move.isRehearsal = isRehearsal
                let refusal = #expect(throws: KeychainError.self) { try maintenance.moveGroup(move) }
                #expect(refusal?.status == .missingEntitlement)
            }
        }
        let report = try maintenance.moveGroup(GroupMove(from: former, to: present))
        #expect(report.isDone && report.moved.count == 1 && report.obstacles.isEmpty)
        let query: PropertyDictionary = ["class": .string("genp"), "agrp": .string(present)]
        _ = try keychain.perform(KeychainRequest(.copyMatching(query), client: Client(accessGroups: [present])))
    }

    @Test("the versions of the store are everybody's to see, and a downgrade is the owner's")
    func storeVersions() throws {
        let maintenance = server.client().maintenance
        #expect(try maintenance.storeStatus().file == .base)
        let refusal = #expect(throws: KeychainError.self) { try maintenance.downgradeStore(to: 0) }
        #expect(refusal?.status == .missingEntitlement)
    }

    @Test("what is the owner's takes a passcode that is set, and files are never opened")
    func ownersCommands() throws {
        let program = server.client()
        let check = KeychainCommand.maintenance(.check)
        let unset = #expect(throws: KeychainError.self) { try program.perform(check) }
        #expect(unset?.status == .missingEntitlement)
        let replacement = #expect(throws: KeychainError.self) {
            try program.maintenance.replaceRootKey(passcode: nil)
        }
        #expect(replacement?.status == .missingEntitlement)
        try program.device.setPasscode(SecretBytes([1]))
        _ = try program.perform(check)
        // It is admitted, and refused by a keychain that is in memory here.
        let admitted = #expect(throws: KeychainError.self) {
            try program.maintenance.replaceRootKey(passcode: SecretBytes([1]))
        }
        #expect(admitted?.kind == .keys(.unsupportedRootKey))
        for command in [
            .createBackup(BackupRequest(to: .path("/nowhere/x"), secret: .given(SecretBytes([1])))),
            .createBackup(BackupRequest(to: .path("/nowhere/x"), secret: .ofSchedule)),
            .restoreBackup(RestoreRequest(from: .path("/nowhere/x"), secret: SecretBytes([1]))),
            .restoreBackup(RestoreRequest(from: .path("/nowhere/x"), secret: SecretBytes([1]), merge: BackupMerge())),
        ] as [KeychainCommand.Maintenance] {
            let refusal = #expect(throws: KeychainError.self) { try program.perform(.maintenance(command)) }
            #expect(refusal?.status == .missingEntitlement)
        }
        try program.device.lock()
        #expect(throws: KeychainError.self) { try program.perform(check) }
    }

    @Test("a backup goes to the owner as bytes, and comes back as bytes")
    func sentBackup() throws {
        let program = server.client()
        let secret = SecretBytes([7])
        let request = BackupRequest(to: .reply, secret: .given(secret))
        let unset = #expect(throws: KeychainError.self) { try program.maintenance.createBackup(request) }
        #expect(unset?.status == .missingEntitlement)
        try program.device.setPasscode(SecretBytes([1]))
        _ = try program.perform(KeychainRequest(.add(Self.item("name")), client: Client(accessGroups: ["example"])))
        let made = try program.maintenance.createBackup(request)
        let bytes = try #require(made.bytes)
        #expect(made.report.items == 1)
        let merged = try program.maintenance.mergeBackup(from: .contents(bytes), secret: secret, BackupMerge())
        #expect(merged.isApplied && merged.equal == 1 && merged.added.count == 0)
    }

    @Test("no program gets the secret of scheduled backups, and each outside of a sandbox has one made")
    func scheduledSecret() throws {
        let program = server.client()
        try program.device.setPasscode(SecretBytes([1]))
        try program.maintenance.setBackupSecret(SecretBytes(Array("the schedule's".utf8)))
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(ScheduledBackup.service), PropertyKey.returnData: .boolean(true),
        ]
        for client in [Client.person, Client(accessGroups: [ScheduledBackup.accessGroup, "example"])] {
            let refusal = #expect(throws: KeychainError.self) {
                try program.perform(KeychainRequest(.copyMatching(query), client: client))
            }
            #expect(refusal?.status == .itemNotFound)
        }
        let made = try program.maintenance.createBackup(BackupRequest(to: .reply, secret: .ofSchedule))
        #expect(try #require(made.bytes).count > 0)
        try program.device.lock()
        let locked = #expect(throws: KeychainError.self) {
            try program.maintenance.createBackup(BackupRequest(to: .reply, secret: .ofSchedule))
        }
        #expect(locked?.status == .interactionNotAllowed)
    }

    @Test("a keychain is opened by the first command, closed when nobody needs it, and opened again")
    func idle() throws {
        #expect(opened.count == 0 && !admission.isInUse)
        do {
            let observation = server.client().observeChanges(as: Client(accessGroups: ["example"])) { _ in }
            #expect(eventually("a program that only listens keeps the service") { admission.isInUse })
            #expect(opened.count == 0)
            withExtendedLifetime(observation) {}
        }
        #expect(eventually("it has gone") { !admission.isInUse })
        do {
            let program = server.client()
            _ = try program.device.status()
            _ = try program.device.status()
            #expect(opened.count == 1 && admission.isInUse)
        }
        #expect(eventually("it is closed") { !admission.isInUse })
        let program = server.client()
        _ = try program.device.status()
        #expect(opened.count == 2)
        try program.device.setPasscode(SecretBytes([1]))
        server.stop()
        #expect(eventually("nobody is connected") { server.connectionCount == 0 })
        #expect(admission.isInUse, "what it has unlocked would be lost")
    }

    @Test("what becomes of a session of one user locks that user's keychain")
    func sessions() throws {
        let program = server.client()
        try program.device.setPasscode(SecretBytes([1]))
        let log = DaemonLog(descriptor: -1)
        admission.handle(.locked(user: geteuid() + 1), log)
        #expect(try admission.partition(of: geteuid()).locks.isIdle)
        #expect(try program.device.status().lockState == .unlocked)
        admission.handle(.locked(user: geteuid()), log)
        #expect(try eventually("it is locked") { try program.device.status().lockState == .locked })
    }

    @Test("the lock of a session whose user is not known locks no user's keychain")
    func unknownSession() throws {
        let program = server.client()
        try program.device.setPasscode(SecretBytes([1]))
        admission.handle(.locked(user: nil), DaemonLog(descriptor: -1))
        #expect(try admission.partition(of: geteuid()).locks.isIdle)
        #expect(try program.device.status().lockState == .unlocked)
    }

    @Test("users without an account have no keychain, even if somebody had one under their number")
    func unknownUsers() throws {
        let folder = try TemporaryFolder()
        var options = PartitionOptions()
        options.folder = folder.path
        options.accountName = { $0 == 8 ? nil : "user\($0)" }
        let admission = SystemAdmission(options)
        #expect(try admission.partition(of: 7).user == 7)
        #expect(try admission.partition(of: 7) === admission.partition(of: 7))
        #expect(mkdir(folder.path(of: "8"), 0o700) == 0)
        for user in [8, 61_184, 65_519, UserDatabase.overflow] {
            let refusal = #expect(throws: KeychainError.self) { try admission.partition(of: user) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(UserDatabase.name(of: 0) == "root")
    }

    @Test("a user is known once there is an account, also after a restart of the service, and nobody without one is")
    func knownUsers() throws {
        let folder = try TemporaryFolder()
        var options = PartitionOptions()
        options.folder = folder.path
        options.accountName = { $0 == 8 ? nil : "user\($0)" }
        let admission = SystemAdmission(options)
        #expect(!admission.isKnown(7) && !admission.isKnown(8))
        _ = try admission.partition(of: 7)
        #expect(throws: KeychainError.self) { try admission.partition(of: 8) }
        #expect(admission.isKnown(7) && !admission.isKnown(8))
        #expect(mkdir(folder.path(of: "9"), 0o700) == 0)
        #expect(SystemAdmission(options).isKnown(9))
    }

    @Test("a keychain that the service gives back is refused there, and every program uses the user's own at once")
    func givenBack() throws {
        let folder = try TemporaryFolder()
        var options = PartitionOptions()
        options.folder = folder.path
        options.accountName = { "user\($0)" }
        options.identities = { (_) throws(KeychainError) in try IdentityService(IdentityOptions(), folder: nil) }
        let server = try TestServer(admission: SystemAdmission(options))
        let (manager, program) = (server.client(), server.client())
        let own = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: DeviceOptions())
        try own.handOver(to: .system)
        let routed = RoutedKeychain([(.embedded, own), (.daemon, manager), (.system, program)]) {
            () throws(KeychainError) in
            try own.checkOwner()
        }
        let (client, add) = (Client(accessGroups: ["example"]), KeychainRequest.Operation.add(Self.item("name")))
        _ = try routed.perform(KeychainRequest(add, client: client))
        let kept = #expect(throws: KeychainError.self) {
            try manager.perform(.maintenance(.giveBack(onlyIfEmpty: true)))
        }
        #expect(kept?.kind == .storage(.hasItems))
        let query = KeychainRequest(.copyMatching(["class": .string("genp")]), client: client)
        _ = try routed.perform(query)

        for _ in 0..<2 { _ = try manager.perform(.maintenance(.giveBack(onlyIfEmpty: false))) }
        let nowhere = #expect(throws: KeychainError.self) { try routed.perform(query) }
        #expect(nowhere?.foreignOwner != nil)
        var asService = DeviceOptions()
        asService.owner = .system
        try EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: asService)
            .handOver(to: .embedded)
        let missing = #expect(throws: KeychainError.self) { try routed.perform(query) }
        #expect(missing?.status == .itemNotFound)

        for _ in 0..<2 { _ = try manager.perform(.maintenance(.takeOver)) }
        _ = try program.perform(query)
    }

    private static func item(_ account: String) -> PropertyDictionary {
        ["class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(SecretBytes([1]))]
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock(\.self) }

    func add() { number.withLock { $0 += 1 } }
}
