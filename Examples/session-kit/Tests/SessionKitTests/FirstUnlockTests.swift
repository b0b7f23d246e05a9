// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import SessionKit
import Testing

@Suite("Before the first unlock, and after an update of the app", .keychain) struct FirstUnlockTests {
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    @Test("a refresh after a restart of the phone waits, and nobody is signed out") func restart() async throws {
        let auth = AuthManager(store: KeychainSessionStore())
        try await auth.signIn(ending)
        try device.reboot()
        let refresh = BackgroundTokenRefresh(auth: auth, server: Server())
        #expect(try await refresh.run(now: now) == .tryAgainLater)
        try device.unlock()
        try device.lock()
        #expect(try await refresh.run(now: now) == .refreshed)
    }

    @Test("the bug: a refresh after a restart of the phone signs out") func restartForgets() async throws {
        let auth = AuthManager(store: ForgetfulSessionStore())
        try await auth.signIn(ending)
        try device.reboot()
        let outcome = try await BackgroundTokenRefresh(auth: auth, server: Server()).run(now: now)
        withKnownIssue("load() takes a phone before its first unlock for no session") {
            #expect(outcome == .tryAgainLater)
        }
    }

    @Test("a session of the version with the bug is carried over at the first read that succeeds")
    func update() async throws {
        try ForgetfulSessionStore().save(ending)
        let auth = AuthManager(store: KeychainSessionStore())
        let refresh = BackgroundTokenRefresh(auth: auth, server: Server())
        try device.lock()
        #expect(try await refresh.run(now: now) == .tryAgainLater)
        try device.unlock()
        #expect(try await auth.session() == ending)
        try device.lock()
        #expect(try await refresh.run(now: now) == .refreshed)
    }

    @Test("an item that is no session is an error and not absence") func damaged() async throws {
        try KeychainSessionStore().save(ending)
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.session-kit",
        ]
        let status = SecItemUpdate(item as CFDictionary, [kSecValueData: Data([0xFF])] as CFDictionary)
        try #require(status == errSecSuccess)
        #expect(throws: SessionStoreError.self) { try KeychainSessionStore().load() }
    }
}
