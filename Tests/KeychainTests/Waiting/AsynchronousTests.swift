// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainSimulation
import KeychainTesting
import Security
import Testing

@testable import Keychain

@Suite("Asynchronous calls", .keychain)
struct AsynchronousTests {
    private let token = GenericPassword(service: "com.example.login", account: "ada")
    private let guarded = Protection.guarded(.userPresence, accessible: .whenUnlocked)

    @Test("They do what those do that block")
    func same() async throws {
        let keychain = SystemKeychain()
        let plain = Protection.accessible(.whenUnlocked)
        try await keychain.set("one", for: token, protection: plain)
        #expect(try await keychain.string(for: token) == "one")
        try await keychain.set([1, 2], for: token, protection: plain)
        #expect(try await keychain.value([Int].self, for: token) == [1, 2])
        #expect(try await keychain.data(for: token) == Data("[1,2]".utf8))
        #expect(try await keychain.contains(token))
        #expect(try await keychain.attributes(of: token)?.protection == plain)
        #expect(try await keychain.update(token, with: ItemUpdate(protection: .accessible(.afterFirstUnlock))))
        #expect(try await keychain.items(matching: .everyGenericPassword).count == 1)
        await #expect(throws: KeychainItemError.self) { try await keychain.add("x", for: token, protection: plain) }
        #expect(try await keychain.delete(token))
        #expect(try await keychain.string(for: token) == nil)
        try await keychain.add([1], for: token, protection: plain)
        #expect(try await keychain.deleteAll(matching: .everyGenericPassword))
    }

    @TaskLocal static var mark = 0

    @Test("A waiting call sees the task-local values, and blocks no thread of the pool")
    func values() async throws {
        let app = try #require(App.current)
        let seen = try await Self.$mark.withValue(7) {
            try await SystemKeychain().waiting(for: .read, of: nil, authentication: .forbidden) {
                (_) throws(KeychainItemError) in
                (Self.mark, App.current === app, CallThreads.isCurrent)
            }
        }
        #expect(seen.0 == 7)
        #expect(seen.1)
        #expect(seen.2)
    }

    @MainActor
    @Test("From an actor the call waits elsewhere as well")
    func fromActor() async throws {
        let isElsewhere = try await SystemKeychain().waiting(for: .read, of: nil, authentication: .forbidden) {
            (_) throws(KeychainItemError) in
            CallThreads.isCurrent
        }
        #expect(isElsewhere)
        #expect(!CallThreads.isCurrent)
    }

    @Test("While many wait for a person, other tasks go on")
    func manyWait() async throws {
        let device = try #require(App.current).device
        let keychain = SystemKeychain()
        try await keychain.set("one", for: token, protection: guarded)
        device.owner.answer = .waits
        // The owner is asked one question after the other. None would come if the calls held the threads of the pool.
        async let answers: Void = { for _ in 0..<40 { try await device.owner.nextOpenQuestion().answer(.succeeds) } }()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    let found = try await keychain.string(for: token, authentication: .allowed)
                    #expect(found == "one")
                }
            }
            try await group.waitForAll()
        }
        try await answers
    }

    @Test("A task that is cancelled ends the question, and the call")
    func cancellation() async throws {
        let device = try #require(App.current).device
        let keychain = SystemKeychain()
        try await keychain.set("one", for: token, protection: guarded)
        device.owner.answer = .waits
        let task = Task { () -> KeychainItemError? in
            do throws(KeychainItemError) {
                try await keychain.set(
                    "two",
                    for: token,
                    protection: .accessible(.always),
                    authentication: .allowed("r")
                )
                return nil
            } catch {
                return error
            }
        }
        _ = try await device.owner.nextOpenQuestion()
        task.cancel()
        let error = await task.value
        #expect(error?.isCancelled == true)
        #expect(error?.operation == .set)
        #expect(error?.item as? GenericPassword == token)
        device.owner.answer = .succeeds
        #expect(try await keychain.string(for: token, authentication: .allowed) == "one")
    }

    @Test("A task that was cancelled before asks for nothing")
    func cancelledBefore() async throws {
        let keychain = SystemKeychain()
        let task = Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(KeychainItemError) {
                try await keychain.set("two", for: token, protection: .accessible(.always))
                return false
            } catch {
                return error.isCancelled
            }
        }
        #expect(await task.value)
        #expect(try await keychain.string(for: token) == nil)
    }
}
