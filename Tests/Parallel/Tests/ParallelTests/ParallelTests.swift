// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainTesting
import Security
import Testing
import TokenStore

@Suite("A thousand tests at once, each with a device of its own, on the same primary key")
struct ParallelTests {
    @Test(.keychain, arguments: 0..<1_000)
    func fourOperations(_ number: Int) async throws {
        let app = try #require(App.current)
        #expect(TokenStore.add("\(number)", for: "same") == errSecSuccess)
        #expect(TokenStore.add("\(number)", for: "same") == errSecDuplicateItem)
        #expect(TokenStore.token(for: "same") == "\(number)")
        switch number % 4 {
        case 0: try await lockInBetween(app)
        case 1: await useAQueue(app)
        case 2: await useTasks()
        default: break
        }
        #expect(TokenStore.update("new \(number)", for: "same") == errSecSuccess)
        #expect(TokenStore.token(for: "same") == "new \(number)")
        #expect(TokenStore.delete(for: "same") == errSecSuccess)
        #expect(TokenStore.token(for: "same") == nil)
        #expect(app.device.calls.allSatisfy { $0.app == app.entitlements.applicationIdentifier })
    }

    private func lockInBetween(_ app: App) async throws {
        try app.device.lock()
        #expect(TokenStore.token(for: "same") == nil)
        #expect(app.device.calls.last?.status == errSecInteractionNotAllowed)
        await Task.yield()
        try app.device.unlock()
    }

    private func useAQueue(_ app: App) async {
        let queue = DispatchQueue(label: "of the app")
        app.bind(to: queue)
        let statuses = await withCheckedContinuation { continuation in
            queue.async {
                let added = TokenStore.add("queue", for: "queue")
                continuation.resume(returning: [added, TokenStore.delete(for: "queue")])
            }
        }
        #expect(statuses == [errSecSuccess, errSecSuccess])
    }

    private func useTasks() async {
        await withTaskGroup(of: OSStatus.self) { group in
            for number in 0..<4 { group.addTask { TokenStore.add("task", for: "task \(number)") } }
            for await status in group { #expect(status == errSecSuccess) }
        }
    }

    @Test(.keychain(processWide: true), arguments: 0..<20)
    func processWide(_ number: Int) async throws {
        let status = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: TokenStore.add("thread", for: "same")) }.start()
        }
        #expect(status == errSecSuccess)
    }

    @Test(.keychain, arguments: 0..<20)
    func faultsAndGates(_ number: Int) async throws {
        let app = try #require(App.current)
        let gate = app.device.faults.hold(on: [.add])
        async let status = withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: app.run { TokenStore.add("held", for: "same") }) }.start()
        }
        await gate.waitForCall()
        #expect(TokenStore.token(for: "same") == nil)
        gate.open()
        #expect(await status == errSecSuccess)
    }
}
