// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainControl

/// References to parts of passwords, for files and environments.
struct SecretReferenceTests {
    @Test(
        "a reference is read, and written as it was",
        arguments: [
            ("keychain://svc", ItemChoice(service: "svc"), .password),
            ("keychain://svc/ada", ItemChoice(service: "svc", account: "ada"), .password),
            ("keychain://svc/", ItemChoice(service: "svc", account: ""), .password),
            ("keychain://svc/ada?account", ItemChoice(service: "svc", account: "ada"), .account),
            ("keychain://a%2Fb/c%3Fd%20e", ItemChoice(service: "a/b", account: "c?d e"), .password),
            ("keychain://%C3%BC/ada", ItemChoice(service: "ü", account: "ada"), .password),
            ("keychain:///ada", ItemChoice(service: "", account: "ada"), .password),
            ("keychain:///", ItemChoice(service: "", account: ""), .password),
            (
                "keychain://s/a?synchronizable=no&protocol=https&port=&path=/p%26q",
                ItemChoice(
                    service: "s",
                    account: "a",
                    isSynchronizable: false,
                    address: [.scheme: "https", .port: "", .path: "/p&q"]
                ), .password
            ),
            (
                "keychain://s/a?otp&class=internet&group=g%26h",
                ItemChoice(service: "s", account: "a", itemClass: .internetPassword, group: "g&h"), .otp
            ),
        ] as [(String, ItemChoice, ItemField)]
    )
    func valid(_ text: String, _ choice: ItemChoice, field: ItemField) throws {
        let reference = try SecretReference(text)
        #expect(reference.choice == choice && reference.field == field)
        #expect(reference.text == text)
    }

    @Test(
        "anything else is a usage error that says the rule",
        arguments: [
            "", "keychain:", "keychain:/svc", "keychain://", "keychain://a/b/c",
            "keychain://svc?nosuch",
            "keychain://svc?", "keychain://svc?class=key", "keychain://svc?label&label", "keychain://svc?x=y",
            "keychain://svc?synchronizable=1", "keychain://svc?class=generic&path=", "keychain://svc?port=1&port=2",
            "keychain://sv%2", "keychain://sv%zz", "keychain://%FF", "keychain://%%41", "Keychain://svc",
        ]
    )
    func invalid(_ text: String) {
        #expect { try SecretReference(text) } throws: { ($0 as? Refusal)?.status == .usage }
    }

    @Test("a combining mark after a slash or a question mark is a part of the name behind it")
    func combiningMarks() throws {
        let text = "keychain://\u{301}s/\u{301}a?\u{301}"
        #expect(SecretReference.isReference(text))
        #expect(throws: Refusal.self) { try SecretReference(text) }
        let choice = try SecretReference("keychain://\u{301}s/\u{301}a").choice
        #expect(choice == ItemChoice(service: "\u{301}s", account: "\u{301}a"))
    }
}
