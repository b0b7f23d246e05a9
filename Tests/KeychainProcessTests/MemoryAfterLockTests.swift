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

    @Test("a lock takes its keys out of the memory that holds keys; passcodes and secrets are nowhere")
    func lock() throws {
        let image = MemoryImage(process: process)
        #expect(try image.found(["the secret": secret]) == ["the secret"], "the search finds what is held")
        #expect(try process.ask("drop").isDone)
        let gone = try keys(of: Self.taken)
        let stays = try keys(of: Accessibility.stored.filter(\.outlivesLock))

        for round in 0..<3 {
            try forEveryLevel("open")
            try forEveryLevel("update")
            #expect(try image.found(gone, in: .undumpable) == Set(gone.keys), "the search finds what is unlocked")

            #expect(try process.ask("lock").isDone)
            try expectLocked(image, keys: gone, at: "round \(round)")
            for level in Accessibility.stored {
                #expect(try process.ask("open \(level.rawValue)").isDone == level.outlivesLock)
                #expect(try process.ask("update \(level.rawValue)").isDone == level.outlivesLock)
            }
            try expectLocked(image, keys: gone, at: "round \(round), after calls")
            #expect(try image.found(stays, in: .undumpable) == Set(stays.keys), "what outlives the lock is there")

            #expect(try process.ask("unlock", passcode).isDone)
        }
    }

    @Test("after a lock by another process the next call takes the same away")
    func lockByAnotherProcess() throws {
        #expect(try process.ask("drop").isDone)
        try forEveryLevel("update")
        try forEveryLevel("open")
        let gone = try keys(of: Self.taken)
        let image = MemoryImage(process: process)
        #expect(try image.found(gone, in: .undumpable) == Set(gone.keys), "the search finds what is unlocked")
        try folder.keychain().device.lock()
        #expect(try !process.ask("open ak").isDone)
        try expectLocked(image, keys: gone, at: "after the call")
    }

    /// Expects none of these keys in the memory that holds keys, and neither the passcode nor the secret anywhere.
    private func expectLocked(_ image: MemoryImage, keys: [String: [UInt8]], at moment: String) throws {
        let found = try image.found(keys, in: .undumpable)
            .union(image.found(["the passcode": passcode, "the secret": secret]))
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

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
