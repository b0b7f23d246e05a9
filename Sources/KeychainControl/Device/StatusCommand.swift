// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// `keychainctl device status`: what can be told without a passcode.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says whether a passcode is set, whether the keychain is locked, and what it does by itself.",
        discussion: "The state is the one in which a program starts that is run now."
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let status = try refusing { () throws(KeychainError) in try surroundings.keychain.device.status() }
        surroundings.say(json ? try StatusText.json(status) : StatusText.plain(status))
    }
}
