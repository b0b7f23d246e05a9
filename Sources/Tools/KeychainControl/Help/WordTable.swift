// SPDX-License-Identifier: Apache-2.0

/// The words of the commands and their documentation, each explained once.
///
/// `keychainctl words`, its manual page and Documentation/Words.md have these texts.
enum WordTable {
    /// A word or several that belong together.
    struct Row: Hashable {
        let word: String

        /// Some sentences, in which a command is between single quotes.
        let meaning: String
    }

    static let introduction = "What these words mean here, in the order in which a user meets them."

    static let rows = [
        Row(
            word: "item",
            meaning: """
                A secret with the attributes by which it is found, such as a service and an account. It is a password, a \
                key or a certificate.
                """
        ),
        Row(
            word: "keychain",
            meaning: """
                The items of one user, encrypted in the folder ~/.local/share/swift-keychain. Programs find their items in \
                it without naming it. Apple calls it the data protection keychain.
                """
        ),
        Row(
            word: "access group",
            meaning: """
                The name under which a program stores its items, and by which other programs may share them. A program \
                has one of its own, and all programs of the user have one in common, which 'security' uses.
                """
        ),
        Row(
            word: "device",
            meaning: """
                What a phone is for Apple's keychain is the folder of the keychain here: it has a root key, may have a \
                passcode, and is locked or unlocked. 'keychainctl device' manages it.
                """
        ),
        Row(
            word: "root key",
            meaning: """
                A random key, in a file of the folder that only its owner can read. All other keys are encrypted with it, so that a \
                copy of the keychain's database alone reveals nothing. Whoever has the folder and knows the passcode has \
                everything; without a passcode, the folder is enough.
                """
        ),
        Row(
            word: "passcode",
            meaning: """
                The secret that unlocks the device. Until 'keychainctl device set-passcode' there is none, and the \
                keychain is always unlocked. It is not the password of the user's account, and not that of a keychain file.
                """
        ),
        Row(
            word: "locked, unlocked",
            meaning: """
                With a passcode, a program starts locked and finds no secret of most items, until 'keychainctl device unlock' \
                has the passcode. Without a daemon an unlock is for the command that it runs; with one, for all programs \
                of the user, until the next lock.
                """
        ),
        Row(
            word: "keychain file",
            meaning: """
                A file of items with a password of its own, as macOS had before: 'security create-keychain' makes one, and \
                'security unlock-keychain' opens it. The format is one of this project; files of macOS are not read.
                """
        ),
        Row(
            word: "login keychain",
            meaning: """
                The name login.keychain, which scripts for macOS use. Here it means the keychain of the user, unless a \
                keychain file of this name was created.
                """
        ),
        Row(
            word: "backup, backup secret",
            meaning: """
                A file with the items that may leave the device, encrypted with a secret that was chosen for it. It \
                is not the passcode, and without it a backup cannot be read. 'keychainctl backup' writes and restores \
                backups.
                """
        ),
        Row(
            word: "recovery key",
            meaning: """
                A random key on paper that opens the keychain when the passcode is forgotten or the root key is lost. There \
                is none until one is created; it is shown once.
                """
        ),
        Row(
            word: "embedded keychain",
            meaning: """
                The keychain without a daemon, which is the default: each program opens the files itself, and is locked and \
                unlocked separately.
                """
        ),
        Row(
            word: "user's daemon",
            meaning: """
                The program keychaind that runs as the user and serves the keychain to all programs of that user, after \
                'keychainctl service enable'. One unlock is for all of them. It does not protect programs of one user from each other.
                """
        ),
        Row(
            word: "daemon of keychain files",
            meaning: """
                The same program, started with --files when it is needed: it keeps keychain files unlocked between \
                commands, until they are locked.
                """
        ),
        Row(
            word: "system service",
            meaning: """
                The same program, run with --system by a user of its own: it keeps the keychains of users who chose \
                'keychainctl service enable --system', and no program of a user can read the files.
                """
        ),
        Row(
            word: "identity of a program",
            meaning: """
                What a program is recognized by: entitlements, a signature by a team's key, or a name in the executable. \
                The default access group is made of it.
                """
        ),
        Row(
            word: "certificate, identity",
            meaning: """
                A certificate and its private key together are an identity, with which one signs. It has nothing to do with \
                the identity of a program.
                """
        ),
    ]

    /// All of it, for a terminal: as wide as the lines of `--help`.
    static var text: String {
        ([introduction] + rows.map { "\($0.word)\n\(indented($0.meaning))" }).joined(separator: "\n\n")
    }

    private static func indented(_ text: String) -> String {
        var lines: [String] = []
        var line = "   "
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > 78 {
                lines.append(line)
                line = "   "
            }
            line += " \(word)"
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
