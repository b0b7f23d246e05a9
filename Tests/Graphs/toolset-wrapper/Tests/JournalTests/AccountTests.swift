// SPDX-License-Identifier: Apache-2.0

import Foundation
import Journal
import KeychainTesting
import Lockbox
import Security
import Testing

@Suite(.keychain) struct AccountTests {
    @Test func aLockedPhoneIsNoSignOut() throws {
        let account = Account()
        try account.signIn(token: "t0ken")
        let device = try #require(App.current).device
        try device.lock()
        // What a mock never shows: the subscript says "not there".
        #expect(!account.isSignedIn)
        #expect(throws: LockboxError.self) { try account.token() }
        #expect(device.calls.last?.status == errSecInteractionNotAllowed)
        try device.unlock()
        #expect(try account.token() == "t0ken")
        #expect(account.isSignedIn)
    }

    @Test func aTokenComesBack() throws {
        let account = Account()
        #expect(try account.token() == nil)
        try account.signIn(token: "one")
        try account.signIn(token: "two")
        #expect(try account.token() == "two")
        // The service is the bundle identifier.
        #expect(try Lockbox(service: "com.example.journal").string("token") == "two")
    }

    // The wrapper has #if !os(iOS), so Linux compiles what it does on a Mac, and an iPhone refuses that: by
    // 'keychainctl test' the device is a Mac.
    @Test func everythingIsForgotten() throws {
        let account = Account()
        try account.signIn(token: "t0ken")
        try account.signOut()
        #expect(try account.token() == nil)
    }

    @Test(arguments: [Scenario.lockedInBackground, .beforeFirstUnlock])
    func aTokenForTheBackgroundIsReadWhenItCan(_ scenario: Scenario) throws {
        let account = Account(lockbox: Lockbox(accessibility: .afterFirstUnlock))
        try scenario.play {
            try account.signIn(token: "t0ken")
        } afterwards: {
            #expect((try? account.token()) == (scenario == .lockedInBackground ? "t0ken" : nil))
        }
    }

    @Test(.keychain(.macOS)) func anItemOfAnotherServiceStays() throws {
        try Lockbox(service: "other").set("kept", key: "token")
        try Account().signIn(token: "t0ken")
        try Account().signOut()
        #expect(try Lockbox(service: "other").string("token") == "kept")
    }

    @Test func resourcesAreFoundBesideAnInformationPropertyList() throws {
        #expect(Bundle.main.bundleIdentifier == "com.example.journal")
        #expect(try Account.welcome() == "Welcome to your journal.")
        #expect(Bundle.main.url(forResource: "journal_Journal", withExtension: "resources") != nil)
    }
}

// Without a device a call of the wrapper fails the test; it never reaches the keychain of the user.
@Test func aCallWithoutADeviceFailsTheTest() {
    withKnownIssue {
        _ = Account().isSignedIn
    } matching: { issue in
        issue.comments.contains { $0.rawValue.contains("outside of an app") }
    }
}
