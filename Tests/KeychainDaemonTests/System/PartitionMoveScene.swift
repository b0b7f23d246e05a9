// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainServer
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// A keychain of a user that is moved into the system service, and the steps of that.
class PartitionMoveScene {
    static let mine = ProcessInstance(
        identifier: getpid(),
        startTime: ProcessStartTime.of(getpid()) ?? 0
    )
    static let other = ProcessInstance(identifier: 1, startTime: ProcessStartTime.of(1) ?? 0)
    static let gone = ProcessInstance(identifier: getpid(), startTime: 1)
    static let move = Bytes16.random()

    let folder: TemporaryFolder
    let own: EmbeddedKeychain
    let moving: EmbeddedKeychain
    let device: MovedDevice
    let rows: [MovedRow]
    let location: KeychainLocation

    init() throws {
        folder = try TemporaryFolder()
        own = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.embedded))
        for account in ["anna", "bert"] { try Self.add(account, to: own) }
        try own.handOver(to: .moving)
        moving = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "own")), device: Self.options(.moving))
        (device, rows) = (try moving.movedDevice(), try moving.movedRows(after: nil))
        location = KeychainLocation(path: folder.path(of: "service"))
        #expect(mkdir(location.path, 0o700) == 0)
    }

    struct Unexpected: Error {}

    var hasIncoming: Bool { access("\(location.path)/\(IncomingKeychain.folderName)", F_OK) == 0 }

    static func step(_ step: StoreMove.Step) -> StoreMove { .step(step, of: move) }

    func begin(_ moves: inout PartitionMoves, by process: ProcessInstance) throws {
        _ = try moves.perform(.begin(Self.move), by: process)
    }

    func receive(_ moves: inout PartitionMoves, by process: ProcessInstance) throws {
        try begin(&moves, by: process)
        for step in [.receive(device), .append(rows), .activate] as [StoreMove.Step] {
            #expect(try moves.perform(Self.step(step), by: process) == .done)
        }
    }

    /// Runs `body` with a process, and what ends it.
    func withSleeper(_ body: (ProcessInstance, () -> Void) throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["600"]
        try process.run()
        let identifier = process.processIdentifier
        // Not SIGTERM, which a thread that waits for signals blocks, and so does the process that it starts.
        defer { if process.isRunning { Glibc.kill(identifier, SIGKILL) } }
        let start = try #require(ProcessStartTime.of(identifier))
        try body(ProcessInstance(identifier: identifier, startTime: start)) {
            Glibc.kill(identifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    func status(_ moves: inout PartitionMoves) throws -> MoveStatus {
        guard case .moveStatus(let status) = try moves.perform(.status, by: Self.mine) else { throw Unexpected() }
        return status
    }

    func service(_ owner: StoreOwner) -> EmbeddedKeychain {
        EmbeddedKeychain(at: location, device: Self.options(owner))
    }

    static func service(_ space: MoveSpace = MoveSpace()) -> PartitionOptions {
        var service = PartitionOptions()
        service.device = options(.embedded)
        service.moveSpace = space
        return service
    }

    static func options(_ owner: StoreOwner) -> DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.owner = owner
        return device
    }

    static func add(
        _ account: String,
        to keychain: EmbeddedKeychain,
        with more: [String: PropertyValue] = [:]
    ) throws {
        var item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        for (key, value) in more { item[key] = value }
        _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: ["example"])))
    }

    static func delete(
        _ account: String,
        from keychain: EmbeddedKeychain,
        with more: [String: PropertyValue] = [:]
    ) throws {
        var query: PropertyDictionary = ["class": .string("genp"), "acct": .string(account)]
        for (key, value) in more { query[key] = value }
        _ = try keychain.perform(KeychainRequest(.delete(query), client: Client(accessGroups: ["example"])))
    }
}
