// SPDX-License-Identifier: Apache-2.0

import CommandHelp

/// The manual page of `security`, in the language of mdoc(7): the usage texts of the command.
package enum ManualPage {
    /// Writes the page.
    ///
    /// - Parameters:
    ///   - date: the day on it, in the form `2026-01-31`.
    ///   - version: the version of this package.
    /// - Returns: The page.
    package static func text(date: String, version: String) -> String {
        let supported = CommandTable.entries.filter { $0.remark == nil }
        let others = CommandTable.entries.filter { $0.remark != nil }.map(\.name)
        let usage = String(decoding: GlobalOptions.usage.bytes, as: UTF8.self)
        // Without the line before and the one after them.
        let options = usage.split(separator: "\n").dropFirst().dropLast().map(unindented)
        let lines =
            [
                ".\\\" SPDX-License-Identifier: Apache-2.0", ".Dd \(date)", ".Dt SECURITY 1",
                ".Os swift-keychain \(version)", ".Sh NAME", ".Nm security",
                ".Nd find, add and change items of the keychain", ".Sh SYNOPSIS", ".Nm",
                ".Op Fl hilqvS", ".Op Fl p Ar prompt", ".Op Ar command Op Ar argument ...", ".Sh DESCRIPTION",
            ]
            + ManualText.paragraphs(
                """
                security is the command of macOS, on the keychain of the programs of this user. It also works on keychain
                files, as on macOS. The name of a command may be abbreviated.
                """
            )
            + [".Sh OPTIONS"] + ManualText.literal(options)
            + [".Sh COMMANDS"] + supported.flatMap(section)
            + [".Sh NOT SUPPORTED HERE"]
            + ManualText.paragraphs(
                "These commands of macOS have no meaning on Linux: " + others.joined(separator: ", ") + "."
            )
            + [".Sh ENVIRONMENT"] + ManualText.list(variables, as: "Ev")
            + [".Pp", "All variables are in", ".Xr swift-keychain 7 ."]
            + [".Sh FILES"] + ManualText.list(files, as: "Pa")
            + [".Sh EXIT STATUS"]
            + ManualText.paragraphs(
                """
                0 if the command did what was asked, 2 if its arguments are wrong, 44 if no item was found, 45 if an item is
                there already; otherwise the low byte of the status of Security, or 1.
                """
            )
            + [".Sh EXAMPLES"]
            + ManualText.literal([
                "security add-generic-password -a ada -s com.example.tool -w    # prompts for the secret",
                "security find-generic-password -a ada -s com.example.tool -w",
                "security delete-generic-password -a ada -s com.example.tool",
            ])
            + [".Sh SEE ALSO"]
            + ManualText.references(["keychainctl 1", "keychainctl-words 1", "keychaind 1", "swift-keychain 7"])
        return lines.joined(separator: "\n") + "\n"
    }

    private static let variables = [
        ("SWIFT_KEYCHAIN_HOME", "The folder of the keychain, an absolute path, in place of the user's own."),
        ("SWIFT_KEYCHAIN_AUTHENTICATOR", "How a passcode is asked for: terminal, pinentry, or none for scripts."),
    ]

    private static let files = [
        ("~/.local/share/swift-keychain", "The folder of the keychain."),
        ("~/Library/Keychains", "Where keychain files are that are named without a folder."),
        ("~/Library/Preferences/org.swift-keychain.user.json", "The search list and the default keychain."),
    ]

    private static func section(_ entry: CommandTable.Entry) -> [String] {
        let lines = entry.synopsis.split(separator: "\n").map(String.init)
        return [".Ss \(ManualText.escaped(entry.name))"] + ManualText.paragraphs(entry.summary)
            + ManualText.literal(["\(entry.name) \(lines.first ?? "")"] + lines.dropFirst().map { unindented($0[...]) })
            + ManualText.examples(CommandExamples.of(entry.name))
    }

    private static func unindented(_ line: Substring) -> String { String(line.drop { $0 == " " }) }
}
