// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import SessionKit
import Testing

/// What the suite needs of an app.
///
/// To use it for another app, copy this file, and replace the bodies.
private enum Subject {
    static let token = "refresh-token-of-the-test"
    static let guarded = Data("key-of-the-test".utf8)

    /// Signs in, so that the app stores what it stores.
    static func signIn() throws {
        let session = Session(user: "ada", accessToken: "a", refreshToken: token, expires: .distantFuture)
        try KeychainSessionStore().save(session)
    }

    /// What the app stored when it signed in; `nil` if it has none.
    static func stored() throws -> String? { try KeychainSessionStore().load()?.refreshToken }

    static func signOut() throws { try KeychainSessionStore().remove() }

    /// Stores what only its owner may open.
    static func storeGuarded() throws { try PaymentKey().save(guarded) }

    /// Opens it; `nil` if it is gone.
    static func openGuarded(_ context: LAContext = LAContext()) throws -> Data? { try PaymentKey().load(context) }
}

/// Tests of OWASP's Mobile Application Security Testing Guide that a keychain decides, by their identifiers.
///
/// `Documentation/MASTG.md` lists them, with those that no test of this kind can show.
@Suite("MASTG", .keychain) struct MASTGTests {
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    /// Every item of the app, with its attributes; nothing is asked for.
    private func items() -> [[String: Any]] {
        let context = LAContext()
        context.interactionNotAllowed = true
        let classes = [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey, kSecClassCertificate]
        return classes.flatMap { itemClass -> [[String: Any]] in
            let query: [CFString: Any] = [
                kSecClass: itemClass, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                kSecAttrSynchronizable: kSecAttrSynchronizableAny, kSecUseAuthenticationContext: context,
                kSecUseAuthenticationUI: kSecUseAuthenticationUISkip,
            ]
            var result: CFTypeRef?
            SecItemCopyMatching(query as CFDictionary, &result)
            return result as? [[String: Any]] ?? []
        }
    }

    @Test("MASTG-TEST-0052: what signing in stores is in the keychain, and not readable at all times")
    func storage() throws {
        try Subject.signIn()
        let levels = items().compactMap { $0[kSecAttrAccessible as String] as? String }
        #expect(!levels.isEmpty)
        for level in levels {
            #expect(level != kSecAttrAccessibleAlways as String)
            #expect(level != kSecAttrAccessibleAlwaysThisDeviceOnly as String)
        }
    }

    @Test("MASTG-TEST-0052: signing out leaves nothing behind")
    func nothingLeft() throws {
        try Subject.signIn()
        try Subject.signOut()
        #expect(items().isEmpty)
    }

    @Test("MASTG-TEST-0058, MASTG-TEST-0215: a backup that is restored to another device brings no secret along")
    func backup() throws {
        try Subject.signIn()
        try Subject.storeGuarded()
        let backup = try device.backUp(password: "of the backup")
        let other = try VirtualDevice(restoring: backup, password: "of the backup")
        let left = try other.install(.example).run { (try Subject.stored(), try Subject.openGuarded()) }
        #expect(left.0 == nil && left.1 == nil)
    }

    @Test("MASTG-TEST-0062: nothing is synchronized to other devices")
    func synchronization() throws {
        try Subject.signIn()
        for item in items() { #expect(item[kSecAttrSynchronizable as String] as? Bool != true) }
    }

    @Test("MASTG-TEST-0246, MASTG-TEST-0248: without a passcode, nothing is stored that needs an owner")
    func noPasscode() throws {
        try device.removePasscode()
        #expect(throws: (any Error).self) { try Subject.storeGuarded() }
    }

    @Test("MASTG-TEST-0246, MASTG-TEST-0248: what needs an owner is gone with the passcode")
    func passcodeRemoved() throws {
        try Subject.storeGuarded()
        try device.removePasscode()
        #expect(try Subject.openGuarded() == nil)
    }

    @Test("MASTG-TEST-0266, MASTG-TEST-0267: nothing opens unless the keychain itself has asked the owner")
    func eventBound() throws {
        try Subject.storeGuarded()
        let asked = try device.owner.questions.count
        #expect(try Subject.openGuarded() == Subject.guarded)
        #expect(try device.owner.questions.count == asked + 1)
        let context = LAContext()
        context.interactionNotAllowed = true
        #expect(throws: (any Error).self) { try Subject.openGuarded(context) }
        try device.owner.answer = .fails
        #expect(throws: (any Error).self) { try Subject.openGuarded() }
    }

    @Test("MASTG-TEST-0268, MASTG-TEST-0269: the passcode takes the place of no face or finger")
    func fallback() throws {
        try Subject.storeGuarded()
        try device.owner.answer = .fallsBack
        #expect(throws: (any Error).self) { try Subject.openGuarded() }
        try device.isBiometryLockedOut = true
        try device.owner.answer = .succeeds
        #expect(throws: (any Error).self) { try Subject.openGuarded() }
    }

    @Test("MASTG-TEST-0270, MASTG-TEST-0271: a face or finger that is enrolled later opens nothing")
    func enrollment() throws {
        try Subject.storeGuarded()
        try device.enrollBiometry()
        #expect((try? Subject.openGuarded()) == nil)
    }

    @Test("MASTG-TEST-0052: a locked device, and one that was restarted, is taken for no signing out")
    func locked() throws {
        try Subject.signIn()
        try device.reboot()
        #expect(throws: (any Error).self) { try Subject.stored() }
        try device.unlock()
        #expect(try Subject.stored() == Subject.token)
    }

    @Test("MASTG-TEST-0053: no call shows a secret to a log of calls")
    func log() throws {
        try Subject.signIn()
        for call in try device.calls { #expect(!"\(call)".contains(Subject.token)) }
    }
}
