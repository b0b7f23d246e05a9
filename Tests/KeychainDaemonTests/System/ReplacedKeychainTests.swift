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

/// Which keychain of the service one that is moved into it may replace, and when.
final class ReplacedKeychainTests: PartitionMoveScene {
    @Test("a keychain of the service that has items or a passcode is not overwritten; marks of deleted items are")
    func occupied() throws {
        let present = service(.system)
        try Self.add("present", to: present)
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        let receive = Self.step(.receive(device))
        let items = #expect(throws: KeychainError.self) { try moves.perform(receive, by: Self.mine) }
        #expect(items?.reason.contains("has items") == true)
        try Self.delete("present", from: present)
        try present.device.setPasscode(SecretBytes([1]))
        let passcode = #expect(throws: KeychainError.self) { try moves.perform(receive, by: Self.mine) }
        #expect(passcode?.reason.contains("passcode") == true)
        #expect(try present.checkOwner(), "it is served as before")
        try present.device.removePasscode(SecretBytes([1]))
        try Self.add("shared", to: present, with: ["sync": .boolean(true)])
        try Self.delete("shared", from: present, with: ["sync": .boolean(true)])
        let marks = try status(&moves)
        #expect(marks.hasRows && !marks.hasItems && !marks.isOccupied)
        _ = try moves.perform(receive, by: Self.mine)
        #expect(throws: KeychainError.self, "from here on it is refused") { try present.checkOwner() }
        #expect(throws: KeychainError.self) { try Self.add("late", to: present) }
        try self.receive(&moves, by: Self.mine)
        #expect(try present.movedRows() == device.rows)
    }

    @Test("what is changed while a keychain comes in is not replaced", arguments: [true, false])
    func changedMeanwhile(_ isPasscode: Bool) throws {
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        for step in [.receive(device), .append(rows)] as [StoreMove.Step] {
            _ = try moves.perform(Self.step(step), by: Self.mine)
        }
        let present = service(.embedded)
        if isPasscode { try present.device.setPasscode(SecretBytes([1])) } else { try Self.add("late", to: present) }
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.activate), by: Self.mine) }
        let left = try present.moveStatus()
        #expect(left.hasPasscode == isPasscode && left.hasItems != isPasscode)
        #expect(left.storeIdentifier != (try moving.moveStatus().storeIdentifier))
    }

    @Test("a move that ends early leaves the keychain that it was to replace served as before")
    func endsEarly() throws {
        let present = service(.system)
        try Self.add("present", to: present)
        try Self.delete("present", from: present)
        var moves = PartitionMoves(of: location, Self.service())
        try begin(&moves, by: Self.mine)
        var invalid = device
        invalid.rows.digest = []
        #expect(throws: KeychainError.self) { try moves.perform(Self.step(.receive(invalid)), by: Self.mine) }
        #expect(try present.checkOwner(), "what is announced is checked first")
        _ = try moves.perform(Self.step(.receive(device)), by: Self.mine)
        #expect(throws: KeychainError.self) { try present.checkOwner() }
        try begin(&moves, by: Self.mine)
        #expect(try present.checkOwner())
    }

    @Test("nothing is received that the disk, or the room for all users, does not have")
    func room() throws {
        let full = MoveSpace(available: { _ in MoveLimits.freeByteCount })
        var moves = PartitionMoves(of: location, Self.service(full))
        try begin(&moves, by: Self.mine)
        let refusal = #expect(throws: KeychainError.self) {
            try moves.perform(Self.step(.receive(device)), by: Self.mine)
        }
        #expect(refusal?.status == .diskFull)
        #expect(!hasIncoming)

        try Self.add("present", to: service(.embedded))
        try service(.embedded).handOver(to: .system)
        let unsent = #expect(throws: KeychainError.self, "the log of its removal") {
            try moves.perform(Self.step(.send), by: Self.mine)
        }
        #expect(unsent?.status == .diskFull)
        #expect(try status(&moves).owner == .system)

        let space = MoveSpace(limit: 3 << 20, available: { _ in nil })
        var kept: [MoveSpace.Reservation] = []
        for _ in 0..<3 { kept.append(try space.reserve(1, in: "/")) }
        let occupied = #expect(throws: KeychainError.self) { try space.reserve(1, in: "/") }
        #expect(occupied?.reason.contains("other users") == true)
        kept.removeLast()
        kept.append(try space.reserve(1, in: "/"))
        #expect(kept.count == 3)
    }
}
