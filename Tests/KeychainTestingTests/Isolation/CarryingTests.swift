// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import Synchronization
import Testing

@Suite("An app goes along where task-local values do not", .keychain)
struct CarryingTests {
    private func current() throws -> App { try #require(App.current) }

    /// What `body` returns on a thread that has no task.
    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    private func on<Result: Sendable>(
        _ queue: DispatchQueue,
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    @Test("child tasks and tasks inherit it")
    func tasks() async throws {
        let app = try current()
        #expect(await Task { App.current }.value === app)
        async let child = App.current
        #expect(await child === app)
    }

    @Test("a bound queue has it, and so have queues that target it")
    func queues() async throws {
        let app = try current()
        let queue = DispatchQueue(label: "bound")
        let target = DispatchQueue(label: "targets it", target: queue)
        app.bind(to: queue)
        #expect(await on(queue) { Items.add() } == errSecSuccess)
        #expect(await on(target) { Items.read().secret } == "secret")
        #expect(await on(target) { App.current } === app)
        App.unbind(queue)
        #expect(await on(target) { App.current } !== app)
    }

    @Test("a queue is bound until its test ends, and free for the next then")
    func ends() async throws {
        let queue = DispatchQueue(label: "bound")
        let test = try #require(Test.current)
        let apps = Mutex<[App]>([])
        for _ in 0..<2 {
            try await KeychainTrait.keychain().provideScope(for: test, testCase: nil) {
                let app = try #require(App.current)
                app.bind(to: queue)
                #expect(queue.sync { App.current } === app)
                apps.withLock { $0.append(app) }
            }
            #expect(await on(queue) { App.current } == nil)
        }
        #expect(apps.withLock { $0[0] !== $0[1] })
    }

    @Test("a queue is bound to a device of the test by code that has lost the test, and until the test ends")
    func lostBinding() async throws {
        let queue = DispatchQueue(label: "bound")
        try await KeychainTrait.keychain().provideScope(for: try #require(Test.current), testCase: nil) {
            let app = try VirtualDevice().install()
            await Task.detached { app.bind(to: queue) }.value
            #expect(queue.sync { App.current } != nil)
        }
        #expect(await on(queue) { App.current } == nil)
    }

    @Test("a queue that another app has is not bound, until it is unbound")
    func taken() async throws {
        let queue = DispatchQueue(label: "bound")
        let (app, other) = (try current(), try VirtualDevice().install())
        app.bind(to: queue)
        app.bind(to: queue)
        withKnownIssue {
            other.bind(to: queue)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("The queue bound is bound to another app") }
        }
        #expect(await on(queue) { App.current } === app)
        App.unbind(queue)
        other.bind(to: queue)
        #expect(await on(queue) { App.current } === other)
    }

    @Test("a queue of everybody is not bound")
    func queuesOfEverybody() async throws {
        let app = try current()
        withKnownIssue {
            app.bind(to: .main)
            app.bind(to: .global())
            app.bind(to: .global(qos: .background))
        }
        #expect(await on(.global()) { App.current } !== app)
        #expect(await on(.main) { App.current } !== app)
    }

    @Test("an operation queue has that of its underlying queue")
    func operations() async throws {
        let queue = DispatchQueue(label: "underlying")
        try current().bind(to: queue)
        let operations = OperationQueue()
        operations.underlyingQueue = queue
        let status = await withCheckedContinuation { continuation in
            operations.addOperation { continuation.resume(returning: Items.add()) }
        }
        #expect(status == errSecSuccess)
    }

    @Test("the task's app counts before that of the queue")
    func precedence() async throws {
        let queue = DispatchQueue(label: "bound")
        let other = try VirtualDevice().install()
        other.bind(to: queue)
        let app = try current()
        #expect(await on(queue) { app.run { App.current } } === app)
        #expect(await on(queue) { App.current } === other)
    }

    @Test("a carried closure has it, with its arguments, its result and its error")
    func closures() async throws {
        struct Failure: Error {}
        let app = try current()
        let add = app.carry { (account: String, secret: String) in Items.add(secret, account: account) }
        #expect(await onThread { add("carried", "by a thread") } == errSecSuccess)
        #expect(await Task.detached { app.run { Items.read("carried").secret } }.value == "by a thread")
        let fails = app.carry { () throws -> Void in throw Failure() }
        #expect(throws: Failure.self) { try fails() }
    }

    @Test("the reply of an evaluation has it, and the keychain in it")
    func replies() async throws {
        let app = try current()
        #expect(Items.add() == errSecSuccess)
        let found = await withCheckedContinuation { continuation in
            LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "test") { _, _ in
                continuation.resume(returning: (Items.read().secret, App.current))
            }
        }
        #expect(found.0 == "secret")
        #expect(found.1 === app)
    }

    @Test("the reply of an evaluation that was started on a bound queue has the queue's app")
    func repliesToQueues() async throws {
        let queue = DispatchQueue(label: "bound")
        let app = try current()
        app.bind(to: queue)
        let found = await withCheckedContinuation { (continuation: CheckedContinuation<App?, Never>) in
            queue.async {
                LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "test") { _, _ in
                    continuation.resume(returning: App.current)
                }
            }
        }
        #expect(found === app)
    }
}
