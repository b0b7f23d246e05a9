// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Synchronization
import Testing

@testable import KeychainTesting

@Suite("One app at a time is that of the process")
struct ProcessWideAppTests {
    /// What `body` returns on a thread that has no task.
    static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    @Test("a thread runs as it; tests that want one take turns", arguments: 0..<40)
    func turns(_ number: Int) async throws {
        let app = try VirtualDevice().install()
        try await ProcessWideApp.with(app) {
            #expect(await Self.onThread { Items.add("\(number)") } == errSecSuccess)
            await Task.yield()
            #expect(await Self.onThread { Items.read().secret } == "\(number)")
            #expect(await Task.detached { App.current }.value === app)
        }
    }

    @Test("in its scope another app takes its place for a while")
    func nested() async throws {
        let app = try VirtualDevice().install()
        let other = try VirtualDevice().install()
        try await ProcessWideApp.with(app) {
            try await ProcessWideApp.with(other) {
                #expect(await Self.onThread { App.current } === other)
            }
            #expect(await Self.onThread { App.current } === app)
        }
    }

    @Test("who is cancelled leaves the line, and the others come in their order")
    func cancelled() async throws {
        let app = try VirtualDevice().install()
        let order = Order()
        let waiting = try await ProcessWideApp.with(app) {
            var tasks: [Task<Void, any Error>] = []
            for number in 0..<3 {
                let app = try VirtualDevice().install()
                tasks.append(Self.waiter(app, number: number, in: order))
                while !ProcessWideApp.isAwaited(app) { await Task.yield() }
            }
            tasks[1].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[1].value }
            return tasks
        }
        try await waiting[0].value
        try await waiting[2].value
        #expect(order.numbers.withLock { $0 } == [0, 2])
    }

    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    private static func waiter(_ app: App, number: Int, in order: Order) -> Task<Void, any Error> {
        Task.detached { try await ProcessWideApp.with(app) { order.numbers.withLock { $0.append(number) } } }
    }

    @Test("an app of a task, whose test runs beside, counts before it")
    func precedence() async throws {
        let app = try VirtualDevice().install()
        let own = try VirtualDevice().install()
        try await ProcessWideApp.with(app) {
            #expect(own.run { App.current } === own)
            #expect(App.current === app)
        }
    }

    @Test("the trait's device is that of the process, too", .keychain(processWide: true), arguments: 0..<8)
    func trait(_ number: Int) async throws {
        let app = try #require(App.current)
        #expect(await Self.onThread { App.current } === app)
        #expect(await Self.onThread { Items.add() } == errSecSuccess)
    }

    @Test("a process-wide app serves no task of another test")
    func otherTest() async throws {
        try await ProcessWideApp.withNobody {
            let caller = Caller()
            let known = ProcessWideApp.callingTest.withLock(\.self)
            // Other tests go on to be asked whose they are.
            ProcessWideApp.callingTest.withLock { $0 = { Test.current == nil ? nil : caller.name.withLock(\.self) } }
            defer { ProcessWideApp.callingTest.withLock { $0 = known } }
            let app = try VirtualDevice().install()
            try await ProcessWideApp.with(app) {
                #expect(ProcessWideApp.current === app)
                caller.name.withLock { $0 = "another" }
                #expect(ProcessWideApp.current == nil)
                // Whose thread it is, is not known.
                #expect(await Self.onThread(Self.lookUp) === app)
            }
        }
    }

    private final class Caller: Sendable {
        let name = Mutex("one")
    }

    @Test("a closure of a test that has ended reaches no process-wide app of another")
    func lateClosure() async throws {
        let test = try #require(Test.current)
        try await ProcessWideApp.withNobody {
            let known = ProcessWideApp.callingTest.withLock(\.self)
            defer { ProcessWideApp.callingTest.withLock { $0 = known } }
            try await RunningTest.run(test) {}
            let app = try VirtualDevice().install()
            // It is this test's own function that is on the stack, so another one has to be in the turn.
            ProcessWideApp.callingTest.withLock { $0 = { Test.current == nil ? nil : "another" } }
            try await ProcessWideApp.with(app) {
                #expect(await Self.onThread { App.current } == nil)
                #expect(await Self.onThread(Self.lookUp) === app)
            }
            ProcessWideApp.callingTest.withLock { $0 = known }
            try await ProcessWideApp.with(app) { #expect(await Self.onThread { App.current } === app) }
        }
    }

    /// A function that bears no test's name.
    private static let lookUp: @Sendable () -> App? = { App.current }

    @Test("no test with a device of its own runs beside it, and those that want it take turns")
    func exclusion() async throws {
        let app = try VirtualDevice().install()
        let running = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask { [running] in
                    guard number % 3 == 0 else {
                        return try await ProcessWideApp.withSharedAccess {
                            running.change { $0.beside += 1 }
                            await Task.yield()
                            #expect(running.now.alone == 0)
                            running.change { $0.beside -= 1 }
                        }
                    }
                    try await ProcessWideApp.with(app) {
                        running.change { $0.alone += 1 }
                        await Task.yield()
                        #expect(running.now == (0, 1))
                        running.change { $0.alone -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// How many tests run beside others, and how many alone.
    private final class Counts: Sendable {
        private let counts = Mutex((beside: 0, alone: 0))

        var now: (beside: Int, alone: Int) { counts.withLock(\.self) }

        func change(_ body: (inout sending (beside: Int, alone: Int)) -> Void) { counts.withLock { body(&$0) } }
    }

    @Test("tests with devices of their own that want it both do not wait for each other")
    func upgrade() async throws {
        let app = try VirtualDevice().install()
        let inside = Counts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { [inside] in
                    try await ProcessWideApp.withSharedAccess {
                        inside.change { $0.beside += 1 }
                        // Both as a rule; another test's turn may come between them, and waits for the first.
                        for _ in 0..<1_000 where inside.now.beside < 2 { await Task.yield() }
                        async let first: Void = ProcessWideApp.with(app) { #expect(App.current === app) }
                        try await ProcessWideApp.with(app) { #expect(App.current === app) }
                        try await first
                        #expect(ProcessWideApp.current == nil)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a call that is cancelled while it waits leaves its test beside the others")
    func cancelledUpgrade() async throws {
        let app = try VirtualDevice().install()
        let (mayEnd, end) = AsyncStream.makeStream(of: Void.self)
        try await ProcessWideApp.withSharedAccess {
            let holder = Task.detached { try await ProcessWideApp.with(app) { for await _ in mayEnd {} } }
            // It waits for this test, which gives up its turn to the next call: one that came later would wait for
            // ever.
            while !ProcessWideApp.isAwaited(app) { await Task.yield() }
            let waiter = Task { try await ProcessWideApp.with(app) {} }
            waiter.cancel()
            end.finish()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            try await holder.value
            // Its own turn again.
            try await ProcessWideApp.with(app) { #expect(await Self.onThread { App.current } === app) }
        }
    }
}
