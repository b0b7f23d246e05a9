// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// What the system service lets a process do about a move of the keychain, and whom.
struct PartitionMoveTests {
    private static let mine = ProcessInstance(
        identifier: getpid(),
        startTime: ProcessStartTime.of(getpid()) ?? 0
    )
    private static let other = ProcessInstance(identifier: 1, startTime: ProcessStartTime.of(1) ?? 0)
    private static let gone = ProcessInstance(identifier: getpid(), startTime: 1)

    private let folder: TemporaryFolder
    private let own: EmbeddedKeychain
    private let moving: EmbeddedKeychain
    private let device: MovedDevice
    private let rows: [MovedRow]
    private let location: KeychainLocation

    init() throws {
        folder = try TemporaryFolder()
        own = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.embedded))
        for account in ["anna", "bert"] { try Self.add(account, own) }
        try own.handOver(to: .moving)
        moving = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.moving))
        (device, rows) = (try moving.movedDevice(), try moving.movedRows(after: nil))
        location = KeychainLocation(path: folder.path(of: "service"))
        #expect(mkdir(location.path, 0o700) == 0)
    }

    @Test("a keychain comes in and goes out again by messages, and is nowhere twice")
    func roundTrip() throws {
        var moves = PartitionMoves(of: location, Self.options(.embedded))
        #expect(try status(&moves) == MoveStatus())
        try receive(&moves, by: Self.mine)
        let there = try status(&moves)
        #expect(there.owner == "system" && there.hasRows)
        #expect(there.storeIdentifier == (try moving.moveStatus().storeIdentifier))
        #expect(!hasIncoming)

        guard case .movedDevice(let sent) = try moves.perform(.send, by: Self.mine) else { throw Unexpected() }
        #expect(sent.digest == device.digest && sent.rootKey == device.rootKey && sent.rowCounts == device.rowCounts)
        #expect(throws: KeychainError.self) { try service(.system).checkOwner() }
        guard case .movedRows(let first) = try moves.perform(.rows(after: nil), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(first == rows)
        #expect(
            try moves.perform(.rows(after: rows.last?.place), by: Self.mine) == .movedRows([])
        )
        let stranger = #expect(throws: KeychainError.self) {
            try moves.perform(.remove(receipt: SecretBytes([UInt8](repeating: 0, count: 32))), by: Self.mine)
        }
        #expect(stranger?.status == .missingEntitlement)
        #expect(try status(&moves).hasRows)
        _ = try moves.perform(.remove(receipt: moving.moveReceipt()), by: Self.mine)
        let left = try status(&moves)
        #expect(left.owner == "embedded" && !left.hasContents && left.storeIdentifier != there.storeIdentifier)
    }

    @Test("steps without what comes before them are refused")
    func order() throws {
        var moves = PartitionMoves(of: location, Self.options(.embedded))
        for step in [.append(rows), .activate, .rows(after: nil)] as [StoreMove] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(step, by: Self.mine) }
            #expect(refusal?.status == .parameter)
        }
        _ = try moves.perform(.receive(device), by: Self.mine)
        #expect(throws: KeychainError.self, "not complete") { try moves.perform(.activate, by: Self.mine) }
        #expect(try !status(&moves).hasRows)
        for step in [.append(rows), .activate] as [StoreMove] {
            #expect(throws: KeychainError.self, "another process") { try moves.perform(step, by: Self.other) }
        }
        _ = try moves.perform(.append(rows), by: Self.mine)
        #expect(throws: KeychainError.self, "the same rows again") { try moves.perform(.append(rows), by: Self.mine) }
        try receive(&moves, by: Self.mine)
        #expect(throws: KeychainError.self, "it is over") { try moves.perform(.activate, by: Self.mine) }
        #expect(throws: KeychainError.self, "nothing is given away") {
            try moves.perform(.rows(after: nil), by: Self.mine)
        }
    }

    @Test("a second process moves nothing while the first one lives, and begins anew once it is gone")
    func oneAtATime() throws {
        var moves = PartitionMoves(of: location, Self.options(.embedded))
        _ = try moves.perform(.receive(device), by: Self.other)
        #expect(hasIncoming)
        for step in [.receive(device), .send, .resume, .remove(receipt: SecretBytes())] as [StoreMove] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(step, by: Self.mine) }
            #expect(refusal?.reason.contains("process 1 is moving") == true)
        }
        _ = try moves.perform(.append(rows), by: Self.other)

        var others = PartitionMoves(of: location, Self.options(.embedded))
        #expect(!hasIncoming, "what another service left is removed")
        _ = try others.perform(.receive(device), by: Self.gone)
        #expect(hasIncoming)
        others.removeAbandoned()
        #expect(!hasIncoming)
        _ = try others.perform(.receive(device), by: Self.gone)
        try receive(&others, by: Self.mine)
        #expect(try status(&others).hasRows)
    }

    @Test("a keychain of the service that has items or a passcode is not overwritten")
    func occupied() throws {
        let present = service(.system)
        try Self.add("present", present)
        var moves = PartitionMoves(of: location, Self.options(.embedded))
        let items = #expect(throws: KeychainError.self) { try moves.perform(.receive(device), by: Self.mine) }
        #expect(items?.reason.contains("has items") == true)
        try Self.delete("present", present)
        try present.device.setPasscode(SecretBytes([1]))
        let passcode = #expect(throws: KeychainError.self) { try moves.perform(.receive(device), by: Self.mine) }
        #expect(passcode?.reason.contains("passcode") == true)
        #expect(try present.checkOwner(), "it is served as before")
        try present.device.removePasscode(SecretBytes([1]))
        _ = try moves.perform(.receive(device), by: Self.mine)
        #expect(throws: KeychainError.self, "from here on it is refused") { try present.checkOwner() }
        #expect(throws: KeychainError.self) { try Self.add("late", present) }
        try receive(&moves, by: Self.mine)
        #expect(try present.moveStatus().hasRows)
    }

    @Test("a keychain that was begun to be given away is served again, and only one that was")
    func resumed() throws {
        var moves = PartitionMoves(of: location, Self.options(.embedded))
        try receive(&moves, by: Self.mine)
        _ = try moves.perform(.send, by: Self.other)
        #expect(throws: KeychainError.self) { try moves.perform(.resume, by: Self.mine) }
        for _ in 0..<2 { _ = try moves.perform(.resume, by: Self.other) }
        #expect(try service(.system).moveStatus().hasRows)
        #expect(throws: KeychainError.self, "it is not given away") {
            try moves.perform(.remove(receipt: moving.moveReceipt()), by: Self.mine)
        }
        #expect(try status(&moves).hasRows)
    }

    @Test("the keychain is given to nobody but its owner, and a sandbox takes no step")
    func owners() throws {
        let keychain = EmbeddedKeychain.inMemory(device: Self.options(.embedded))
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        let proofs = PasscodeProofs()
        func program(_ identity: ClientIdentity) -> UserProgram {
            UserProgram(Self.mine, identity, keychain, proofs, life, isSystemService: true)
        }
        let anonymous = program(ClientIdentity(.anonymous))
        let send = KeychainCommand.maintenance(.move(.send))
        let unset = #expect(throws: KeychainError.self) { try anonymous.permitted(send) }
        #expect(unset?.status == .missingEntitlement)
        _ = try anonymous.permitted(.maintenance(.move(.receive(device))))
        try keychain.device.setPasscode(SecretBytes([1]))
        #expect(throws: KeychainError.self) { try anonymous.permitted(send) }
        _ = try anonymous.backend.perform(.device(.unlock(SecretBytes([1]))))
        #expect(try anonymous.permitted(send) == send)
        try keychain.device.lock()
        #expect(throws: KeychainError.self) { try anonymous.permitted(send) }
        let sandbox = program(ClientIdentity(.anonymous, isConfined: true, isSandboxed: true))
        for step in [.status, .receive(device), .append(rows), .activate, .send, .resume] as [StoreMove] {
            let refusal = #expect(throws: KeychainError.self) { try sandbox.permitted(.maintenance(.move(step))) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self, "a keychain of the user's own is not moved by messages") {
            try anonymous.backend.perform(.maintenance(.move(.status)))
        }
    }

    @Test("each user's steps are about that user's keychain alone")
    func otherUser() throws {
        var options = PartitionOptions()
        options.folder = folder.path
        options.device = Self.options(.embedded)
        options.isKnown = { _ in true }
        let admission = SystemAdmission(options)
        for user in [7, 8] as [uid_t] { #expect(mkdir(folder.path(of: "\(user)"), 0o700) == 0) }
        let (anna, bert) = (try admission.partition(of: 7), try admission.partition(of: 8))
        for step in [.receive(device), .append(rows), .activate] as [StoreMove] {
            _ = try anna.move(step, by: Self.mine)
        }
        #expect(try bert.move(.status, by: Self.mine) == .moveStatus(MoveStatus()))
        #expect(throws: KeychainError.self) { try bert.move(.rows(after: nil), by: Self.mine) }
        _ = try anna.move(.send, by: Self.mine)
        #expect(throws: KeychainError.self) { try bert.move(.rows(after: nil), by: Self.mine) }
        #expect(throws: KeychainError.self) { try bert.move(.remove(receipt: moving.moveReceipt()), by: Self.mine) }
        #expect(try anna.move(.rows(after: nil), by: Self.mine) == .movedRows(rows))
    }

    // MARK: Steps

    private struct Unexpected: Error {}

    private var hasIncoming: Bool { access("\(location.path)/\(IncomingKeychain.folderName)", F_OK) == 0 }

    private func receive(_ moves: inout PartitionMoves, by process: ProcessInstance) throws {
        for step in [.receive(device), .append(rows), .activate] as [StoreMove] {
            #expect(try moves.perform(step, by: process) == .done)
        }
    }

    private func status(_ moves: inout PartitionMoves) throws -> MoveStatus {
        guard case .moveStatus(let status) = try moves.perform(.status, by: Self.mine) else { throw Unexpected() }
        return status
    }

    private func service(_ owner: StoreOwner) -> EmbeddedKeychain {
        EmbeddedKeychain(at: location, device: Self.options(owner))
    }

    private static func options(_ owner: StoreOwner) -> DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.owner = owner
        return device
    }

    private static func add(_ account: String, _ keychain: EmbeddedKeychain) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["example"])))
    }

    private static func delete(_ account: String, _ keychain: EmbeddedKeychain) throws {
        let query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        _ = try keychain.perform(KeychainRequest(.delete(query), client: Client(accessGroups: ["example"])))
    }
}
