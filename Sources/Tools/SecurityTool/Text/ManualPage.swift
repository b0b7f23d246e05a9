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
            + paragraph(
                """
                security is the command of macOS, on the keychain of the programs of this user. It also works on keychain
                files, as on macOS. The name of a command may be abbreviated.
                """
            )
            + [".Sh OPTIONS"] + literal(options)
            + [".Sh COMMANDS"] + supported.flatMap(section)
            + [".Sh NOT SUPPORTED HERE"]
            + paragraph("These commands of macOS have no meaning on Linux: " + others.joined(separator: ", ") + ".")
            + [".Sh EXIT STATUS"]
            + paragraph(
                """
                0 if the command did what was asked, 2 if its arguments are wrong, 44 if no item was found, 45 if an item is
                there already; otherwise the low byte of the status of Security, or 1.
                """
            )
            + [".Sh EXAMPLES"]
            + literal([
                "security add-generic-password -a ada -s com.example.tool -w    # prompts for the secret",
                "security find-generic-password -a ada -s com.example.tool -w",
                "security delete-generic-password -a ada -s com.example.tool",
            ])
            + [".Sh SEE ALSO", ".Xr keychainctl 1 ,", ".Xr keychaind 1 ,", ".Xr swift-keychain 7"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ entry: CommandTable.Entry) -> [String] {
        let lines = entry.synopsis.split(separator: "\n").map(String.init)
        return [".Ss \(escaped(entry.name))"] + paragraph(entry.summary)
            + literal(["\(entry.name) \(lines.first ?? "")"] + lines.dropFirst().map { unindented($0[...]) })
            + CommandExamples.of(entry.name).flatMap { [".Pp"] + paragraph($0.meaning) + literal([$0.line]) }
    }

    private static func unindented(_ line: Substring) -> String { String(line.drop { $0 == " " }) }

    private static func paragraph(_ text: String) -> [String] { text.split(separator: "\n").map { escaped($0) } }

    /// Lines as they are.
    private static func literal(_ lines: [String]) -> [String] {
        [".Bd -literal"] + lines.map { escaped($0) } + [".Ed"]
    }

    /// A line of text, in which nothing is a request or an escape.
    private static func escaped(_ line: some StringProtocol) -> String {
        let text = line.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
            .split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }
}
