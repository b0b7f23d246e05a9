// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import Testing

/// What lies in the memory of a process whose device was locked, looked at from outside.
@Suite(.enabled(if: MemoryImage.isReadable, "the kernel does not let a process read its children's memory"))
struct MemoryAfterLockTests {
    /// The levels whose keys a lock takes away.
    private static let taken = Accessibility.stored.filter { !$0.outlivesLock }

    private let folder: StormFolder
    private let process: StormProcess
    private let passcode = Self.randomBytes(48)
    private let secret = Self.randomBytes(64)

    /// A process on an unlocked device, with an item of every level whose secret was never given back.
    init() throws {
        folder = try StormFolder()
        process = try folder.start()
        #expect(try process.ask("passcode", passcode).isDone)
        #expect(try process.ask("take", secret).isDone)
        try forEveryLevel("keep")
    }

    @Test("after a lock no key that it takes away is in memory, nor the passcode, nor a secret that was stored")
    func lock() throws {
        let image = MemoryImage(process: process)
        #expect(try image.found(["the secret": secret]) == ["the secret"], "the search finds what is held")
        #expect(try process.ask("drop").isDone)

        var gone = try keysThatGo(after: "the add")
        try forEveryLevel("update")
        gone.merge(try keysThatGo(after: "the update")) { first, _ in first }
        try forEveryLevel("open")
        let names = try keys(of: Self.taken).keys
        #expect(try image.found(gone).isSuperset(of: names), "the search finds what is unlocked")

        for round in 0..<3 {
            #expect(try process.ask("lock").isDone)
            expectNone(try image.found(gone), "round \(round)")
            for level in Accessibility.stored {
                #expect(try process.ask("open \(level.rawValue)").isDone == level.outlivesLock)
                #expect(try process.ask("update \(level.rawValue)").isDone == level.outlivesLock)
            }
            expectNone(try image.found(gone), "round \(round), after calls")
            let stays = try keys(of: Accessibility.stored.filter(\.outlivesLock))
            #expect(try image.found(stays) == Set(stays.keys), "the search finds what outlives the lock")

            #expect(try process.ask("unlock", passcode).isDone)
            try forEveryLevel("open")
            try forEveryLevel("update")
            gone.merge(try keysThatGo(after: "round \(round)")) { first, _ in first }
            #expect(try image.found(gone).isSuperset(of: names), "the search finds what is unlocked again")
        }
    }

    @Test("after a lock by another process the next call takes the same away")
    func lockByAnotherProcess() throws {
        #expect(try process.ask("drop").isDone)
        try forEveryLevel("update")
        try forEveryLevel("open")
        let gone = try keysThatGo(after: "the update")
        let names = try keys(of: Self.taken).keys
        let image = MemoryImage(process: process)
        #expect(try image.found(gone).isSuperset(of: names), "the search finds what is unlocked")
        try folder.keychain().device.lock()
        #expect(try !process.ask("open ak").isDone)
        expectNone(try image.found(gone), "after the call")
    }

    private func expectNone(_ found: Set<String>, _ moment: String) {
        #expect(found.isEmpty, "\(moment): \(found.sorted())")
    }

    private func forEveryLevel(_ command: String) throws {
        for level in Accessibility.stored {
            let step = try process.ask("\(command) \(level.rawValue)")
            #expect(step.isDone, "\(step)")
        }
    }

    private func keys(of levels: [Accessibility]) throws -> [String: [UInt8]] {
        let store = try StoreKeysOnDisk(folder.path, passcode: passcode)
        return try levels.reduce(into: [:]) { keys, level in
            keys.merge(try store.classKeys(level)) { first, _ in first }
        }
    }

    /// Everything that must not be found after a lock.
    private func keysThatGo(after moment: String) throws -> [String: [UInt8]] {
        let store = try StoreKeysOnDisk(folder.path, passcode: passcode)
        var gone = try store.rowKeys(Self.taken, moment)
        gone.merge(try keys(of: Self.taken)) { first, _ in first }
        gone["the slot's key"] = store.slotKey
        gone["the passcode"] = passcode
        gone["the secret"] = secret
        return gone
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
