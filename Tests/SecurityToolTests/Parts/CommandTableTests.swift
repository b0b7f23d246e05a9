// SPDX-License-Identifier: Apache-2.0

import CommandHelp
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// The table of commands.
struct CommandTableTests {
    /// The order decides what a prefix means.
    private static let names = """
        help, list-keychains, list-smartcards, default-keychain, login-keychain, create-keychain, delete-keychain, \
        lock-keychain, unlock-keychain, set-keychain-settings, set-keychain-password, show-keychain-info, \
        dump-keychain, create-keypair, add-generic-password, add-internet-password, add-certificates, \
        find-generic-password, delete-generic-password, set-generic-password-partition-list, find-internet-password, \
        delete-internet-password, set-internet-password-partition-list, find-key, set-key-partition-list, \
        find-certificate, find-identity, delete-certificate, delete-identity, set-identity-preference, \
        get-identity-preference, create-db, export, import, export-smartcard, cms, install-mds, add-trusted-cert, \
        remove-trusted-cert, dump-trust-settings, user-trust-settings-enable, trust-settings-export, \
        trust-settings-import, verify-cert, authorize, authorizationdb, execute-with-privileges, leaks, error, \
        create-filevaultmaster-keychain, smartcards, translocate-policy-check, translocate-status-check, \
        translocate-original-path, requirement-evaluate, filevault, platformsso
        """

    @Test("the commands stand in the order of macOS")
    func order() {
        #expect(CommandTable.entries.map(\.name).joined(separator: ", ") == Self.names)
    }

    @Test("every name means itself", arguments: CommandTable.entries.map(\.name))
    func namesMeanThemselves(_ name: String) {
        // "export" and "import" would be shadowed by a longer name in front of them.
        #expect(CommandTable.entry(matching: Word(name))?.name == name)
    }

    @Test("summaries are one sentence, and every usage is one that help can print")
    func texts() {
        for entry in CommandTable.entries {
            #expect(entry.summary.hasSuffix(".") && !entry.summary.contains("\n"), "\(entry.name)")
            #expect(!entry.synopsis.hasSuffix("\n") && !entry.synopsis.isEmpty, "\(entry.name)")
        }
    }

    @Test(
        "every supported command has an example, which the command accepts",
        arguments: CommandTable.entries.map(\.name)
    )
    func examples(_ name: String) throws {
        let entry = try #require(CommandTable.entries.first { $0.name == name })
        let examples = CommandExamples.of(name)
        #expect(examples.isEmpty == (entry.remark != nil))
        for example in examples {
            #expect(example.meaning.hasSuffix("."))
            let words = try #require(ExampleWords.arguments(of: example.line, to: "security"), "\(example.line)")
            #expect(words.first == name)
            #expect(entry.accepts(words.dropFirst().map { Word($0) }), "\(example.line)")
        }
    }

    @Test("a mistyped command, or a word of another tool, has a suggestion, and any other word has none")
    func suggestions() {
        #expect(SuggestedCommand.text(for: Word("add-generic-pasword")) == "did you mean 'add-generic-password'?")
        #expect(SuggestedCommand.text(for: Word("ls")) == "the command for that is: security dump-keychain")
        #expect(SuggestedCommand.text(for: Word("xyzzy")) == nil)
    }

    @Test("a word of habit is no beginning of a command", arguments: SuggestedCommand.habits.keys.sorted())
    func habits(_ word: String) { #expect(CommandTable.entry(matching: Word(word)) == nil) }
}
