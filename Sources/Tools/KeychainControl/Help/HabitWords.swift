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

    private static let item = "SERVICE/ACCOUNT"

    private static let rows: KeyValuePairs<String, Answer> = [
        "read lookup fetch print cat secret": .command("keychainctl get \(item)"),
        "find grep": .command("keychainctl search WORD"),
        "add put insert save new update change": .command("keychainctl set \(item)"),
        "del rm remove unset clear": .command("keychainctl delete \(item)"),
        "tui ui gui interactive": .command("keychainctl browse"),
        "ls items dump all": .command("keychainctl list"),
        "mv": .command("keychainctl rename \(item) NEW"),
        "cp duplicate": .command("keychainctl copy \(item) NEW"),
        "run env": .command("keychainctl exec --env NAME=keychain://\(item) -- COMMAND"),
        "systemd loadcredential systemd-creds": .command("keychainctl credential status"),
        "totp hotp code": .command("keychainctl otp \(item)"),
        "notes memo": .command("keychainctl note \(item)"),
        "attachment document": .command("keychainctl attach \(item) FILE"),
        "expiry expires rotate rotation": .command("keychainctl expire --due"),
        "versions previous": .command("keychainctl history \(item)"),
        "revert rollback": .command("keychainctl undo \(item)"),
        "scan plaintext": .command("keychainctl adopt --dry-run"),
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
