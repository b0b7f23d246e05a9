// SPDX-License-Identifier: Apache-2.0

import Conformance
import Foundation
import KeychainSimulation
import LocalAuthentication
import Security
import Testing

/// What no case can say of a connection: something happens while a question is open.
@Suite(.timeLimit(.minutes(5)))
struct DaemonTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(transport: .socket)
        app = device.install()
        device.owner.answer = .waits
    }

    @Test("invalidating a context ends the question that an evaluation asks in it")
    func evaluation() async throws {
        let context = LAContext()
        async let code = Self.evaluate(context, app)
        let question = try await device.owner.nextOpenQuestion()
        context.invalidate()
        #expect(await code == .appCancel)
        #expect(!question.isOpen)
    }

    @Test("invalidating a context ends the question that a query asks in it")
    func query() async throws {
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "guarded", kSecValueData: Data([1]),
            kSecAttrAccessControl: try #require(access),
        ]
        #expect(app.run { SecItemAdd(item as CFDictionary, nil) } == errSecSuccess)
        let context = LAContext()
        async let status = Self.read(context, app)
        let question = try await device.owner.nextOpenQuestion()
        context.invalidate()
        #expect(await status == errSecAuthFailed)
        #expect(!question.isOpen)
    }

    private static func evaluate(_ context: LAContext, _ app: App) async -> LAError.Code? {
        do {
            try await app.run {
                _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")
            }
            return nil
        } catch {
            return (error as? LAError)?.code
        }
    }

    /// Reads on a thread of its own, which waits for as long as the question is open.
    private static func read(_ context: LAContext, _ app: App) async -> OSStatus {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecReturnData: true, kSecUseAuthenticationContext: context,
                ]
                continuation.resume(returning: app.run { SecItemCopyMatching(query as CFDictionary, nil) })
            }
        }
    }
}
