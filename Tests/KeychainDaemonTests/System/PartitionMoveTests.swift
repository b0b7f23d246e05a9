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

/// What the system service lets a process do about a move of the keychain, and in which order.
final class PartitionMoveTests: PartitionMoveScene {
    @Test("a keychain comes in and goes out again by messages, and is nowhere twice")
    func roundTrip() throws {
        var moves = PartitionMoves(of: location, Self.service())
        #expect(try status(&moves) == MoveStatus())
        try receive(&moves, by: Self.mine)
        let there = try status(&moves)
        #expect(there.owner == .system && there.hasItems && there.itemCounts == device.rows.counts)
        #expect(there.storeIdentifier == (try moving.moveStatus().storeIdentifier))
        #expect(!hasIncoming)

        guard case .movedDevice(let sent) = try moves.perform(Self.step(.send), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(sent.rows == device.rows && sent.rootKey == device.rootKey)
        #expect(throws: KeychainError.self) { try service(.system).checkOwner() }
        guard case .movedRows(let first) = try moves.perform(Self.step(.rows(after: nil)), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(first == rows)
        let last = try moves.perform(Self.step(.rows(after: rows.last?.place)), by: Self.mine)
        #expect(last == .movedRows([]))
        let stranger = #expect(throws: KeychainError.self) {
            let receipt = SecretBytes([UInt8](repeating: 0, count: 32))
            let copy = MovedCopy(receipt: receipt, digest: device.rows.digest)
            _ = try moves.perform(Self.step(.remove(copy)), by: Self.mine)
        }
        #expect(stranger?.status == .missingEntitlement)
        let rowless = #expect(throws: KeychainError.self) {
            let copy = MovedCopy(receipt: try moving.movedCopy().receipt, digest: [])
            _ = try moves.perform(Self.step(.remove(copy)), by: Self.mine)
        }
        #expect(rowless?.reason.contains("different items") == true)
        #expect(try status(&moves).hasItems)
        for step in [.compare(try moving.movedCopy()), .remove(try moving.movedCopy())] as [StoreMove.Step] {
            #expect(try moves.perform(Self.step(step), by: Self.mine) == .done)
        }
        let left = try status(&moves)
        #expect(left.owner == .embedded && !left.hasContents && left.storeIdentifier != there.storeIdentifier)
    }

    @Test("steps without what comes before them are refused")
    func order() throws {
        var moves = PartitionMoves(of: location, Self.service())
        for step in [.append(rows), .activate, .rows(after: nil), .receive(device)] as [StoreMove.Step] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(Self.step(step), by: Self.mine) }
            #expect(refusal?.status == .parameter)
        }
        try begin(&moves, by: Self.mine)
        for step in [.append(rows), .activate, .rows(after: nil)] as [StoreMove.Step] {
            let refusal = #expect(throws: KeychainError.self) { try moves.perform(Self.step(step), by: Self.mine) }
            #expect(refusal?.status == .parameter)
        }
        _ = try moves.perform(Self.step(.receive(device)), by: Self.mine)
        #expect(throws: KeychainError.self, "not complete") { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(throws: KeychainError.self, "no rows") { try moves.perform(Self.step(.append([])), by: Self.mine) }
        #expect(try !status(&moves).hasItems)
        for step in [.append(rows), .activate] as [StoreMove.Step] {
            #expect(throws: KeychainError.self, "another process") {
                try moves.perform(Self.step(step), by: Self.other)
            }
            #expect(throws: KeychainError.self, "another move") {
                try moves.perform(.step(step, of: .random()), by: Self.mine)
            }
        }
        _ = try moves.perform(Self.step(.append(rows)), by: Self.mine)
        #expect(throws: KeychainError.self, "the same rows again") {
            try moves.perform(Self.step(.append(rows)), by: Self.mine)
        }
        try receive(&moves, by: Self.mine)
        #expect(throws: KeychainError.self, "it is over") { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(throws: KeychainError.self, "nothing is given away") {
            try moves.perform(Self.step(.rows(after: nil)), by: Self.mine)
        }
    }

    @Test("what is carried out late, after another move was begun or its process has ended, does nothing")
    func late() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        for step in [.receive(device), .append(rows)] as [StoreMove.Step] {
            _ = try moves.perform(Self.step(step), by: Self.mine)
        }
        guard case .moveStatus(let before) = try moves.perform(.begin(.random()), by: Self.mine) else {
            throw Unexpected()
        }
        #expect(!before.hasRows && !hasIncoming, "the first one is over with that")
        let late = #expect(throws: KeychainError.self) { try moves.perform(Self.step(.activate), by: Self.mine) }
        #expect(late?.status == .parameter)
        var idle = PartitionMoves(of: location, Self.service())
        let ended = #expect(throws: KeychainError.self) { try idle.perform(.begin(.random()), by: Self.gone) }
        #expect(ended?.reason.contains("has ended") == true)
        #expect(try !status(&moves).hasRows)

        try receive(&moves, by: Self.mine)
        _ = try moves.perform(Self.step(.send), by: Self.mine)
        let remove = Self.step(.remove(try moving.movedCopy()))
        _ = try moves.perform(.begin(.random()), by: Self.mine)
        #expect(throws: KeychainError.self) { try moves.perform(remove, by: Self.mine) }
        #expect(try status(&moves).hasItems)
    }

    @Test("a second process moves nothing while the first one lives, and can begin once it is gone")
    func oneAtATime() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.other)
        _ = try moves.perform(Self.step(.receive(device)), by: Self.other)
        #expect(hasIncoming)
        let refusal = #expect(throws: KeychainError.self) { try moves.perform(.begin(.random()), by: Self.mine) }
        #expect(refusal?.reason.contains("process 1 is moving") == true)
        #expect(throws: KeychainError.self, "its owner does not change meanwhile") { try moves.checkIsIdle() }
        _ = try moves.perform(Self.step(.append(rows)), by: Self.other)

        var others = PartitionMoves(of: location, Self.service())
        try withSleeper { (sleeper, end) in
            try begin(&others, by: sleeper)
            #expect(!hasIncoming, "what another service left is removed")
            _ = try others.perform(Self.step(.receive(device)), by: sleeper)
            #expect(hasIncoming)
            let wasAbandoned = others.isAbandoned
            end()
            let isAbandoned = others.isAbandoned
            #expect(!wasAbandoned && isAbandoned)
            others.removeAbandoned()
            #expect(!hasIncoming)
        }
        try withSleeper { (sleeper, end) in
            try begin(&others, by: sleeper)
            _ = try others.perform(Self.step(.receive(device)), by: sleeper)
            end()
            try receive(&others, by: Self.mine)
        }
        #expect(try status(&others).hasItems)
        try others.checkIsIdle()
    }

    @Test("moves in and out leave no file open, and no room reserved")
    func nothingKept() throws {
        // One move at a time has room, because a reservation is a mebibyte at least.
        let space = MoveSpace(limit: 1 << 20, available: { _ in nil })
        var moves = PartitionMoves(of: location, Self.service(space))
        for _ in 0..<2 {
            try receive(&moves, by: Self.mine)
            _ = try moves.perform(Self.step(.send), by: Self.mine)
            _ = try moves.perform(Self.step(.remove(try moving.movedCopy())), by: Self.mine)
        }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }
        #expect(open.filter { $0.hasPrefix(location.path) && $0.hasSuffix(" (deleted)") } == [])
    }

    @Test("a keychain that was begun to be given away is served again, and only one that was")
    func resumed() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try receive(&moves, by: Self.other)
        _ = try moves.perform(Self.step(.send), by: Self.other)
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.resume), by: Self.mine) }
        for _ in 0..<2 { _ = try moves.perform(Self.step(.resume), by: Self.other) }
        #expect(try service(.system).moveStatus().hasItems)
        #expect(throws: KeychainError.self, "it is not being given away any more") {
            try moves.perform(Self.step(.rows(after: nil)), by: Self.other)
        }
    }

    @Test(
        "a keychain is removed only if the sender has all of it, given away or not",
        arguments: [StoreOwner.system, .embedded, .moving]
    )
    func removed(_ owner: StoreOwner) throws {
        var moves = PartitionMoves(of: location, Self.service())
        try receive(&moves, by: Self.mine)
        try Self.add("later", to: service(.system))
        try service(.system).handOver(to: owner)
        let compare = Self.step(.compare(try moving.movedCopy()))
        #expect(throws: KeychainError.self) { try moves.perform(compare, by: Self.mine) }
        let remove = Self.step(.remove(try moving.movedCopy()))
        let refusal = #expect(throws: KeychainError.self) { try moves.perform(remove, by: Self.mine) }
        #expect(refusal?.reason.contains("different items") == true)
        #expect(try status(&moves).hasItems)
        try Self.delete("later", from: service(owner))
        #expect(try moves.perform(compare, by: Self.mine) == .done)
        _ = try moves.perform(remove, by: Self.mine)
        #expect(try !status(&moves).hasContents)
    }

    @Test("a move begins only once what an earlier one left could be removed")
    func unremovedRemains() throws {
        var moves = PartitionMoves(of: location, Self.service())
        try Self.add("present", to: service(.embedded))
        let folder = try PrivateDirectory(location)
        let next = "root.key." + String(repeating: "0a", count: 16)
        try [UInt8](repeating: 7, count: 32).withUnsafeBytes { try folder.makeFile(next, $0) }
        let lock = try FileLock("setup.lock", in: folder, until: Deadline(milliseconds: 0))
        let refusal = #expect(throws: KeychainError.self) { try begin(&moves, by: Self.mine) }
        #expect(refusal?.isBusy == true)
        #expect(throws: KeychainError.self, "it was not begun") {
            try moves.perform(Self.step(.receive(device)), by: Self.mine)
        }
        _ = consume lock
        try begin(&moves, by: Self.mine)
        #expect(try !folder.hasFile(next))
        #expect(try status(&moves).hasItems)
    }

    @Test(
        "the keychain is given only to who enters the passcode, whatever a manifest grants, and a sandbox takes no step"
    )
    func owners() throws {
        let keychain = EmbeddedKeychain.inMemory(device: Self.options(.embedded))
        let life = DaemonLife(endsWhenIdleFor: nil, holdsKeys: { false }, wake: {})
        let proofs = PasscodeProofs()
        func program(_ identity: ClientIdentity, isSystemService: Bool = true) -> UserProgram {
            UserProgram(
                Self.mine,
                as: identity,
                keychain: keychain,
                proofs: proofs,
                life: life,
                isSystemService: isSystemService
            )
        }
        let owner = ClientIdentity(.rootManifest("/etc/x"), hasOwnerRights: true)
        let check = KeychainCommand.maintenance(.check)
        let anonymous = program(ClientIdentity(.anonymous))
        let send = KeychainCommand.maintenance(.move(Self.step(.send)))
        for program in [anonymous, program(owner)] {
            let unset = #expect(throws: KeychainError.self) { try program.permitted(send) }
            #expect(unset?.status == .missingEntitlement)
        }
        #expect(try program(owner).permitted(check) == check)
        #expect(try program(ClientIdentity(.anonymous), isSystemService: false).permitted(send) == send)
        _ = try anonymous.permitted(.maintenance(.move(Self.step(.receive(device)))))
        try keychain.device.setPasscode(SecretBytes([1]))
        for isSystemService in [true, false] {
            for identity in [ClientIdentity(.anonymous), owner] {
                let program = program(identity, isSystemService: isSystemService)
                #expect(throws: KeychainError.self, "\(identity.kind)") { try program.permitted(send) }
            }
            #expect(try program(owner, isSystemService: isSystemService).permitted(check) == check)
        }
        _ = try anonymous.backend.perform(.device(.unlock(SecretBytes([1]))))
        #expect(try anonymous.permitted(send) == send)
        #expect(try program(owner).permitted(send) == send)
        try keychain.device.lock()
        #expect(throws: KeychainError.self) { try anonymous.permitted(send) }
        let sandbox = program(ClientIdentity(.anonymous, isConfined: true, isSandboxed: true))
        let steps: [StoreMove.Step] = [.receive(device), .append(rows), .activate, .send, .resume]
        for step in [.status, .begin(Self.move)] + steps.map(Self.step) {
            let refusal = #expect(throws: KeychainError.self) { try sandbox.permitted(.maintenance(.move(step))) }
            #expect(refusal?.status == .missingEntitlement)
        }
        #expect(throws: KeychainError.self, "a keychain of the user's own is not moved by messages") {
            try anonymous.backend.perform(.maintenance(.move(.status)))
        }
    }

    @Test("the end of an authentication context opens no store, and ends it in one that is open")
    func endOfContext() throws {
        var options = Self.service()
        options.folder = folder.path
        options.accountName = { "user\($0)" }
        #expect(mkdir(folder.path(of: "7"), 0o700) == 0)
        let partition = Partition(of: 7, options)
        let context = AuthenticationContext()
        let ends: [KeychainCommand.Authentication] = [
            .forgetPassword(of: context.identifier), .invalidate(context.identifier), .release(context.identifier),
        ]
        for end in ends {
            #expect(try partition.perform(.authentication(end)) == .done)
            #expect(!partition.isOpen)
        }
        #expect(try partition.device.status().hasPasscode == false)
        #expect(partition.isOpen)
        #expect(try partition.perform(.authentication(.invalidate(context.identifier))) == .done)
        #expect(throws: AuthenticationFailure.invalidContext) {
            try partition.authentication.evaluate(.deviceOwner, reason: "to test", context)
        }
    }
}
