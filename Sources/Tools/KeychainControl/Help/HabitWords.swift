// SPDX-License-Identifier: Apache-2.0

/// Words that people type by habit from other tools, and what does it here.
enum HabitWords {
    /// What does it.
    enum Answer: Hashable {
        /// A command line, in which words in capitals are placeholders.
        case command(String)
        /// A sentence, where nothing has to be done.
        case nothing(String)

        var text: String {
            switch self {
            case .command(let line): "The command for that is: \(line)"
            case .nothing(let sentence): sentence
            }
        }
    }

    /// The answer for each word, in lower case.
    static let table: [String: Answer] = {
        var table: [String: Answer] = [:]
        for (words, answer) in rows {
            for word in words.split(separator: " ") { table[String(word)] = answer }
        }
        return table
    }()

    private static let item = "-s SERVICE -a ACCOUNT"

    private static let rows: KeyValuePairs<String, Answer> = [
        "get show find search lookup fetch print cat copy": .command("security find-generic-password \(item) -w"),
        "add set put insert save new": .command("security add-generic-password \(item) -w"),
        "edit update change": .command("security add-generic-password -U \(item) -w"),
        "delete del rm remove unset clear": .command("security delete-generic-password \(item)"),
        "list ls items dump all": .command("security dump-keychain"),
        "export": .command("keychainctl backup create FILE"),
        "passwd password passcode pin": .command("keychainctl device change-passcode"),
        "login open": .command("keychainctl device unlock -- COMMAND"),
        "logout close": .command("keychainctl device lock"),
        "forgot forgotten recover": .command("keychainctl recovery-key use"),
        "wipe reset": .command("keychainctl device erase"),
        "start daemon agent": .command("keychainctl service enable"),
        "stop": .command("keychainctl service disable"),
        "info state": .command("keychainctl device status"),
        "why explain diagnose debug": .command("keychainctl doctor"),
        "lint": .command("keychain-lint FOLDER"),
        "downgrade migrate": .command("keychainctl store downgrade VERSION"),
        "version": .command("keychainctl --version"),
        "init create setup": .nothing(
            "There is nothing to create: the first item that is stored creates the keychain."
        ),
    ]
}
