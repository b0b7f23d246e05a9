// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command `keychainctl`.
public struct KeychainControl: ParsableCommand {
    /// Its name and its subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "keychainctl",
        abstract: "Looks after the keychain and the programs that use it.",
        subcommands: [DeviceCommand.self, BackupCommand.self, BundleIdentifierCommand.self]
    )

    /// The command without arguments, which shows its help.
    public init() {}
}
