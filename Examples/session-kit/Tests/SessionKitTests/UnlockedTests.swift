// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import SessionKit
import Testing

/// What a mock, the simulator and a phone on a desk show: both stores are right.
@Suite("On an unlocked phone", .keychain) struct UnlockedTests {
    static let stores: [any SessionStore] = [ForgetfulSessionStore(), KeychainSessionStore()]

    @Test("nobody is signed in at first", arguments: stores) func nobody(store: any SessionStore) async throws {
        let auth = AuthManager(store: store)
        #expect(try await auth.session() == nil)
        #expect(try await BackgroundTokenRefresh(auth: auth, server: Server()).run(now: now) == .signedOut)
    }

    @Test("a session is kept until its user signs out", arguments: stores)
    func signInAndOut(store: any SessionStore) async throws {
        let auth = AuthManager(store: store)
        try await auth.signIn(renewed)
        #expect(try await auth.session() == renewed)
        #expect(try await BackgroundTokenRefresh(auth: auth, server: Server()).run(now: now) == .stillFresh)
        try await auth.signOut()
        #expect(try await auth.session() == nil)
    }

    @Test("a session that ends soon is renewed", arguments: stores)
    func renewal(store: any SessionStore) async throws {
        let auth = AuthManager(store: store)
        try await auth.signIn(ending)
        #expect(try await BackgroundTokenRefresh(auth: auth, server: Server()).run(now: now) == .refreshed)
        #expect(try await auth.session() == renewed)
    }

    @Test("signing out while the server answers wins", arguments: stores)
    func signOutMeanwhile(store: any SessionStore) async throws {
        let auth = AuthManager(store: store)
        try await auth.signIn(ending)
        let server = Server { try await auth.signOut() }
        #expect(try await BackgroundTokenRefresh(auth: auth, server: server).run(now: now) == .signedOut)
        #expect(try await auth.session() == nil)
    }
}
