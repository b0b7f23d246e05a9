// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `keychainctl device root-key`: the key that protects all other keys of the keychain.
struct RootKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root-key",
        abstract: "Shows where the root key is, and replaces it.",
        subcommands: [RootKeyStatusCommand.self, ReplaceRootKeyCommand.self],
        defaultSubcommand: RootKeyStatusCommand.self
    )
}
