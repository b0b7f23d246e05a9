// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `keychainctl device`: the passcode of the keychain's device, and whether it is locked.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Locks and unlocks the keychain, and manages its passcode.",
        discussion: """
            A passcode is asked for at the terminal, or it is a line of standard input or of another descriptor: all bytes \
            before the first newline, or before the end. It is never an argument.
            """,
        subcommands: [
            StatusCommand.self, LockCommand.self, UnlockCommand.self, SetPasscodeCommand.self,
            ChangePasscodeCommand.self, RemovePasscodeCommand.self, SetPolicyCommand.self, RootKeyCommand.self,
        ],
        defaultSubcommand: StatusCommand.self
    )
}
