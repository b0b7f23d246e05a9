// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import Security
import Synchronization
import Testing

@testable import KeychainSimulation
@testable import KeychainTesting

@Suite("No test waits for ever without a word")
struct StandstillTests {
    /// What was said, in a process of a test's own.
    private final class Said: Sendable {
        let texts = Mutex<[String]>([])

        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    @Test("an app that nobody unsets is not set in a test of Swift Testing, and the test fails")
    func noSet() async throws {
        let app = try VirtualDevice().install()
        try await ProcessWideApp.withNobody {
            withKnownIssue {
                ProcessWideApp.set(app)
            } matching: {
                $0.comments.contains { $0.rawValue.contains("for setUp() of an XCTestCase") }
            }
            #expect(ProcessWideApp.setApp == nil)
        }
    }

    @Test("a thread of the module Keychain that waits is not counted as one of Swift's pool")
    func callThreads() async {
        #expect(await CallThread.run { BlockedThread.mayBeOnPool } == false)
        #expect(await Task.detached { BlockedThread.mayBeOnPool }.value)
    }

    @Test("who waits for an app that was set and not unset is said once")
    func setApp() async {
        await #expect(processExitsWith: .success) {
            let said = Said()
            let app = try VirtualDevice().install()
            Standstill.patience.withLock { $0 = 0.05 }
            Standstill.listener.withLock {
                $0 = { text in
                    said.add(text)
                    ProcessWideApp.unset()
                }
            }
            await ProcessWideAppTests.onThread { ProcessWideApp.set(app) }
            ProcessWideApp.callingTest.withLock { $0 = { "waiting()" } }
            async let other: Void = ProcessWideApp.withSharedAccess {}
            try await ProcessWideApp.withSharedAccess {}
            try await other
            let texts = said.texts.withLock(\.self)
            #expect(texts.count == 1)
            #expect(texts[0].contains("waiting()"))
            #expect(texts[0].contains("only ProcessWideApp.unset() ends"))
        }
    }

    @Test("who waits for another test is said with the names of both")
    func names() async {
        await #expect(processExitsWith: .success) {
            let said = Said()
            let app = try VirtualDevice().install()
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            Standstill.patience.withLock { $0 = 0.05 }
            Standstill.listener.withLock {
                $0 = { text in
                    said.add(text)
                    end.finish()
                }
            }
            ProcessWideApp.callingTest.withLock { $0 = { "holding()" } }
            let waiter = try await ProcessWideApp.with(app) {
                ProcessWideApp.callingTest.withLock { $0 = { "waiting()" } }
                let waiter = Task.detached { try await ProcessWideApp.withSharedAccess {} }
                for await _ in ends {}
                return waiter
            }
            try await waiter.value
            let texts = said.texts.withLock(\.self)
            #expect(texts.count == 1)
            #expect(texts[0].contains("waiting() waited"))
            #expect(texts[0].contains("holding() has the app"))
        }
    }

    @Test("when each thread of the pool has a call that is held, one is let go, and its test fails")
    func pool() async {
        await #expect(processExitsWith: .success) {
            let said = Said()
            Standstill.patience.withLock { $0 = 0.2 }
            Complaint.listener.withLock { $0 = { said.add($0.reason) } }
            let app = try VirtualDevice().install()
            await withTaskGroup(of: Void.self) { group in
                let gates = (0..<ProcessInfo.processInfo.activeProcessorCount).map { number in
                    let gate = app.device.faults.hold(where: { $0.account == "\(number)" })
                    group.addTask { _ = app.run { Items.read("\(number)") } }
                    return gate
                }
                // There is no thread for it.
                group.addTask {
                    for gate in gates {
                        await gate.waitForCall()
                        gate.open()
                    }
                }
            }
            let texts = said.texts.withLock(\.self)
            #expect(texts.count == 1)
            #expect(texts.first?.contains("app.runOnThread") == true)
        }
    }

    @Test("a call that is let go on while the pool is asked is no reason for a complaint")
    func letGoMeanwhile() async {
        await #expect(processExitsWith: .success) {
            let said = Said()
            // On a busy machine it takes a while until all calls are held.
            Standstill.patience.withLock { $0 = 2 }
            Complaint.listener.withLock { $0 = { said.add($0.reason) } }
            let app = try VirtualDevice().install()
            let accounts = (0..<ProcessInfo.processInfo.activeProcessorCount).map(String.init)
            let gates = accounts.map { account in app.device.faults.hold(where: { $0.account == account }) }
            BlockedThread.poolObserver.withLock {
                $0 = { signal in if gates.allSatisfy({ $0.fault.count == 1 }) { signal.signal() } }
            }
            await withTaskGroup(of: Void.self) { group in
                for account in accounts { group.addTask { _ = app.run { Items.read(account) } } }
                // There is no thread for it before.
                group.addTask { for gate in gates { gate.open() } }
            }
            #expect(said.texts.withLock(\.self).isEmpty)
        }
    }

    @Test("more calls than the pool has threads are held on threads of their own")
    func threads() async throws {
        let app = try VirtualDevice().install()
        let gate = app.device.faults.hold(on: [.copyMatching], times: nil)
        await withTaskGroup(of: OSStatus.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount * 2 {
                group.addTask { await app.runOnThread { Items.read().status } }
            }
            while gate.fault.count < ProcessInfo.processInfo.activeProcessorCount * 2 { await Task.yield() }
            gate.open()
            for await status in group { #expect(status == errSecItemNotFound) }
        }
    }

    @Test("what a call on a thread of its own throws is thrown")
    func error() async throws {
        let app = try VirtualDevice().install()
        await #expect(throws: CancellationError.self) { try await app.runOnThread { throw CancellationError() } }
    }
}
