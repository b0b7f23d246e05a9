// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What `keychainctl browse` does with the keychain.
struct BrowserTests {
    private let scene: ItemScene
    private var browser: Browser

    init() throws {
        scene = try ItemScene()
        for name in ["github.com/ada", "mail/bob"] { _ = try scene.run("set", name, input: "secret of \(name)") }
        browser = Browser(
            scene.surroundings,
            try ListFilter.parse([]).entries(scene.surroundings),
            size: .init(rows: 24, columns: 80),
            clearAfter: 0
        )
    }

    private func text(_ browser: Browser) -> String { browser.model.screen.lines.map(\.text).joined(separator: "\n") }

    @Test("a secret is read when it is shown, is in no line of the screen, and forgotten when it is hidden")
    func reveals() {
        var browser = browser
        #expect(browser.secret == nil && !text(browser).contains("secret of"))
        for effect in browser.model.handle(.control("r"), at: 0) { browser.perform(effect) }
        #expect(browser.secret == SecretBytes(Array("secret of github.com/ada".utf8)))
        #expect(!text(browser).contains("secret of") && text(browser).contains("Account:         ada"))
        browser.hide()
        #expect(browser.secret == nil && browser.model.revealed == nil)
    }

    @Test("a locked keychain shows no names, and shows them again when it was unlocked")
    func locks() throws {
        var browser = browser
        browser.perform(.lock)
        // Without a passcode nothing locks it.
        #expect(!browser.model.isLocked && browser.model.message.contains("passcode"))
        try scene.control.keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        for effect in browser.model.handle(.control("l"), at: 0) { browser.perform(effect) }
        #expect(browser.model.isLocked && !text(browser).contains("github") && browser.model.items.isEmpty)
        browser.read { () throws(Refusal) in throw Refusal("the passcode is wrong", .locked) }
        #expect(browser.model.isLocked && text(browser).contains("the passcode is wrong"))
        try scene.control.keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        let entries = try ListFilter.parse([]).entries(scene.surroundings)
        browser.read { () throws(Refusal) in entries }
        #expect(!browser.model.isLocked && text(browser).contains("github.com/ada"))
    }

    @Test(
        "a keychain that another program has locked is seen to be so, and nobody is asked in the middle of the screen"
    )
    func lockedMeanwhile() throws {
        var browser = browser
        try scene.lock()
        for effect in browser.model.handle(.control("r"), at: 0) { browser.perform(effect) }
        #expect(browser.secret == nil && browser.model.isLocked && !text(browser).contains("github"))
    }

    @Test("why a name is not visible is explained")
    func explains() {
        var browser = browser
        browser.perform(.explain("github.com/adda"))
        #expect(text(browser).contains("As generic password:"))
        #expect(browser.model.page?.contains { $0.contains("ada") } == true, "\(browser.model.page ?? [])")
    }
}
