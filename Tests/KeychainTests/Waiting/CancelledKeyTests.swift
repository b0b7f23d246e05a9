// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Keys under a prompt that waits", .keychain)
struct CancelledKeyTests {
    private static let patience = Duration.seconds(600)

    /// Whether a task ends of itself, after all the time in the world.
    private func ends(_ task: Task<some Sendable, some Error>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            let (stream, end) = AsyncStream<Bool>.makeStream()
            Task {
                _ = await task.result
                end.yield(true)
            }
            group.addTask {
                for await isThere in stream { return isThere }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    @Test("A task that adds a key and is cancelled ends the question, and the error names the key")
    func cancelledKey() async throws {
        let device = try #require(App.current).device
        let keychain = SystemKeychain()
        let secKey = try #require(P256.Signing.PrivateKey().secKey)
        device.owner.answer = .waits
        let task = Task { () -> KeychainItemError? in
            do throws(KeychainItemError) {
                try await keychain.add(
                    secKey,
                    tag: "t",
                    protection: .guarded(.applicationPassword, accessible: .whenUnlocked)
                )
                return nil
            } catch {
                return error
            }
        }
        let question = try await device.owner.nextOpenQuestion()
        task.cancel()
        let isOver = await ends(task)
        #expect(isOver)
        if !isOver { question.answer(.cancels) }
        let error = await task.value
        #expect(error?.isCancelled == true)
        #expect(error?.item as? KeyItem == KeyItem(secKey, tag: "t"))
        #expect(try await keychain.secKey(for: KeyItem(secKey, tag: "t")) == nil)
    }
}
