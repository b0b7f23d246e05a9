// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl clip`.
struct ClipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clip",
        abstract: "Copies a password to the clipboard, which is cleared after a while.",
        discussion: CommandDiscussion.text(
            """
            In a graphical session by wl-copy, xclip or xsel; elsewhere, as over SSH, by tmux, or to the clipboard of the \
            terminal, if that permits it (OSC 52). After the time, the clipboard is cleared, unless it has something else by \
            then; that of a terminal cannot be read, and is cleared in any case. The time of the last copy counts. Programs \
            that record the clipboard keep what they saw.
            """,
            examples: [
                "keychainctl clip github.com/ada": "Copies a password for 45 seconds.",
                "keychainctl clip github.com/ada --field account": "Copies the account.",
                "keychainctl clip github.com/otp --field otp --clear-after 20": "Copies a one-time password.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(name: .shortAndLong, help: "What to copy: \(ItemField.names).")
    var field = ItemField.password

    @Option(help: ArgumentHelp("The time until it is cleared; 0 for never.", valueName: "seconds"))
    var clearAfter = 45

    func validate() throws { try Self.checkTime(clearAfter) }

    /// Checks the time after which a clipboard is cleared.
    static func checkTime(_ seconds: Int) throws {
        guard (0...86_400).contains(seconds) else {
            throw ValidationError("--clear-after takes 0 to 86400 seconds.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let clipboard = try surroundings.clipboard()
        let entry = try surroundings.item(try item.choices(), named: item.name)
        surroundings.remark(try surroundings.copy(field, of: entry, to: clipboard, clearAfter: clearAfter))
    }
}

extension Surroundings {
    /// Copies a part of a password to the clipboard, which is cleared after so many seconds, or never for 0.
    ///
    /// - Returns: What was done, for people.
    func copy(
        _ field: ItemField,
        of entry: CredentialStore.Entry,
        to clipboard: Clipboard,
        clearAfter: Int
    ) throws(Refusal) -> String {
        let value = try value(of: field, in: entry)
        try clipboard.put(value)
        guard clearAfter > 0 else {
            // An earlier copy of the same is not cleared either.
            _ = ClipboardTurn(of: clipboard, environment: environment)
            return "Copied \(field.rawValue) of \(entry.name.printable)."
        }
        try clearClipboard(clipboard, ClipboardDigest(of: value), clearAfter)
        return "Copied \(field.rawValue) of \(entry.name.printable), for \(Count.text(clearAfter, "second"))."
    }
}
