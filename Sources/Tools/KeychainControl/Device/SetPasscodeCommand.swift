// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device set-passcode`: sets the first passcode.
struct SetPasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-passcode",
        abstract: "Sets a passcode. It cannot be recovered.",
        discussion: CommandDiscussion.text(
            "The terminal prompts for it twice.",
            examples: ["keychainctl device set-passcode": "Asks for the new passcode twice."]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        // Checked first, so that the user does not choose a passcode for nothing.
        let device = try surroundings.device(hasPasscode: false)
        let passcode = try passcode.source(surroundings).read(
            .newPasscode,
            .newApplicationPassword,
            reason: "set the passcode"
        )
        try refusing { () throws(KeychainError) in try device.setPasscode(passcode) }
        surroundings.printLine("The passcode is set.")
    }
}
