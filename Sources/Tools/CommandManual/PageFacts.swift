// SPDX-License-Identifier: Apache-2.0

/// What a manual page says that `--help` does not.
package struct PageFacts: Sendable {
    /// The commands below in groups, with the title of each group; empty if they have none.
    let groups: [(title: String, commands: [String])]

    /// Exit statuses with their meanings.
    let statuses: [(String, String)]

    /// Further ones of commands that name passwords.
    let passwordStatuses: [(String, String)]

    /// Environment variables with their meanings; swift-keychain(7) has all of them.
    let variables: [(String, String)]

    /// Files with their meanings.
    let files: [(String, String)]

    /// Other pages, such as `security 1`.
    let others: [String]

    private static let home = (
        "SWIFT_KEYCHAIN_HOME", "The folder of the keychain, an absolute path, in place of the user's own."
    )
    private static let folder = ("~/.local/share/swift-keychain", "The folder of the keychain.")

    /// The page of keychainctl.
    package static func keychainctl(groups: [(title: String, commands: [String])]) -> PageFacts {
        PageFacts(
            groups: groups,
            statuses: [
                ("0", "The command did what was asked."),
                ("1", "It did not; standard error says why."),
                ("2", "The arguments are wrong. Some commands use other numbers, too, which their pages list."),
            ],
            passwordStatuses: [
                ("3", "There is no such password, or nothing that was asked for."),
                ("4", "Several passwords are meant."),
                ("5", "The keychain is locked, nobody gave its passcode, or the password may not be read."),
                ("6", "The keychain as a whole cannot be read."),
            ],
            variables: [
                home,
                (
                    "SWIFT_KEYCHAIN_AUTHENTICATOR",
                    "How passcodes and secrets are asked for: terminal, pinentry, or none for scripts."
                ),
            ],
            files: [
                folder, ("~/.config/swift-keychain/teams", "The keys by which a team signs its programs."),
            ],
            others: ["keychain-lint 1", "keychaind 1", "security 1", "swift-keychain 7"]
        )
    }

    /// The page of keychaind.
    package static let keychaind = PageFacts(
        groups: [],
        statuses: [
            ("0", "It was asked to stop, or another daemon serves the keychain already."),
            ("1", "It cannot serve; standard error says why."),
            ("2", "The arguments are wrong."),
            ("3", "No daemon owns the keychain: programs open it themselves."),
        ],
        passwordStatuses: [],
        variables: [home],
        files: [
            folder, ("/var/lib/swift-keychain", "The keychains of the system service."),
            ("/etc/swift-keychain/programs.d", "Manifests of programs that root permits."),
        ],
        others: ["keychainctl 1", "keychainctl-service 1", "keychainctl-words 1", "security 1", "swift-keychain 7"]
    )

    /// The page of keychain-lint.
    package static let linter = PageFacts(
        groups: [],
        statuses: [
            ("0", "Nothing at or above the severity of --fail-on was found."),
            ("1", "Something was."),
            ("2", "A path or the configuration cannot be read."),
            ("64", "The arguments are wrong."),
        ],
        passwordStatuses: [],
        variables: [],
        files: [(".keychain-lint.yml", "The configuration, in the folder that is linted or the current one.")],
        others: ["keychainctl 1", "keychainctl-words 1", "security 1"]
    )
}
