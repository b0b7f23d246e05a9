// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl words`: explains the words of the documentation.
struct WordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "Explains device, passcode, keychain file, daemon and other words.",
        discussion: CommandDiscussion.text(
            WordTable.text,
            examples: ["keychainctl words | less": "Shows the words, page by page."]
        )
    )

    func run() { Surroundings.current.printLine(WordTable.text) }
}
