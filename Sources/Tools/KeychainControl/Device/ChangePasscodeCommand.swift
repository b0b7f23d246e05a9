// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl device change-passcode`: replaces the passcode.
struct ChangePasscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-passcode",
        abstract: "Changes the passcode; items are unaffected.",
        discussion: CommandDiscussion.text(
            "From a descriptor the old passcode is one line, and the new one is the next.",
            examples: [
                "keychainctl device change-passcode": "Asks for the present passcode, and twice for the new one."
            ]
        )
    )

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let device = try surroundings.device(hasPasscode: true)
        let source = passcode.source(surroundings)
        let old = try source.read(.passcode, .passcode, reason: "change the passcode")
        let new = try source.read(.newPasscode, .newApplicationPassword, reason: "change the passcode")
        try refusing { () throws(KeychainError) in try device.changePasscode(from: old, to: new) }
        surroundings.printLine("The passcode is changed.")
        RecoveryKeyText.remark(try? device.summary(), in: surroundings)
    }
}
