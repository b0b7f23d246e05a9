// SPDX-License-Identifier: Apache-2.0

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
}
