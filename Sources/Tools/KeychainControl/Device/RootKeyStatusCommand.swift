// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device root-key status`: shows information about the root key.
struct RootKeyStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows of which kind the root key is, where it is, and by which kinds it can be replaced.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl device root-key status --json": "Writes it as a JSON object, for scripts."
        ])
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.maintenance.rootKeyStatus() }
        surroundings.printLine(json ? try RootKeyText.json(status) : RootKeyText.plain(status))
    }
}
