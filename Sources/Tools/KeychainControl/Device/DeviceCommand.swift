// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl device`: the passcode of the keychain's device, and whether it is locked.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Locks and unlocks the keychain, and manages its passcode.",
        discussion: CommandDiscussion.text(
            """
            A passcode is asked for at the terminal, or it is a line of standard input or of another descriptor: all bytes \
            before the first newline, or before the end. It is never an argument.
            """,
            examples: [
                "keychainctl device": "Shows whether a passcode is set, and whether the keychain is locked.",
                "keychainctl device set-passcode": "Asks for a passcode; from then on, programs start locked.",
                "keychainctl device unlock -- ./deploy": "Runs a command with the keychain unlocked.",
            ]
        ),
        subcommands: [
            StatusCommand.self, LockCommand.self, UnlockCommand.self, SetPasscodeCommand.self,
            ChangePasscodeCommand.self, RemovePasscodeCommand.self, SetPolicyCommand.self, RootKeyCommand.self,
            EraseCommand.self,
        ],
        defaultSubcommand: StatusCommand.self
    )
}
