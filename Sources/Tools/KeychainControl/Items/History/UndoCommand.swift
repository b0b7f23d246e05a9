// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl undo`.
struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Gives a password the value that it had before.",
        discussion: CommandDiscussion.text(
            """
            That is a change like any other: the present value becomes a former one, so that a second 'undo' brings it back. \
            Attributes stay as they are. Former values are kept only where 'keychainctl history keep' says so.
            """,
            examples: [
                "keychainctl undo github.com/ada": "Asks, and brings back the value before the last change.",
                "keychainctl undo github.com/ada --to 3 --yes": "Brings back the third one of 'keychainctl history'.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(help: ArgumentHelp("The number of the value in 'keychainctl history'.", valueName: "number"))
    var to = 1

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() throws {
        let surroundings = Surroundings.current
        let password = try surroundings.historyItem(item)
        let value = try surroundings.withHistory { (store) throws(KeychainError) in
            try store.values(of: password.subject)
        }.value(to)
        let name = password.entry.name.printable
        if !yes {
            let time = TimeText.text(value.replaced)
            guard let isConfirmed = surroundings.confirm("This gives \(name) the value that was replaced on \(time).")
            else { throw Refusal("there is no terminal to ask; --yes restores without a question") }
            guard isConfirmed else { throw Refusal("nothing was changed") }
        }
        try surroundings.withHistory { (store) throws(KeychainError) in
            try store.restore(value, of: password.subject)
        }
        surroundings.remark("Restored a former value of \(name).")
    }
}
