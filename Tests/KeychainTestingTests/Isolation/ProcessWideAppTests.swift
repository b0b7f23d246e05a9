// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Synchronization
import Testing

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
                tasks.append(Self.waiter(app, number, order))
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

    private static func waiter(_ app: App, _ number: Int, _ order: Order) -> Task<Void, any Error> {
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
}
