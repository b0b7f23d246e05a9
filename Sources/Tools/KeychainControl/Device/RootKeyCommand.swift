// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl device root-key`: the key that protects all other keys of the keychain.
struct RootKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root-key",
        abstract: "Shows where the root key is, and replaces it.",
        discussion: CommandDiscussion.text(examples: ["keychainctl device root-key": "Shows where the root key is."]),
        subcommands: [RootKeyStatusCommand.self, ReplaceRootKeyCommand.self],
        defaultSubcommand: RootKeyStatusCommand.self
    )
}
