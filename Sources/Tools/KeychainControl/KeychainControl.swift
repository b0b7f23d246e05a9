// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KeychainCore

/// The command `keychainctl`.
package struct KeychainControl: ParsableCommand {
    /// Its name and its subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "keychainctl",
        abstract: "Manages the keychain and the programs that use it.",
        version: ProductVersion.text,
        subcommands: [
            DeviceCommand.self, BackupCommand.self, SecretCommand.self, BundleIdentifierCommand.self,
            IdentityNoteCommand.self, TestCommand.self, TraceCommand.self, DoctorCommand.self, ServiceCommand.self,
            LogCommand.self, TeamCommand.self, SignCommand.self, VerifyCommand.self,
        ]
    )

    /// Runs the command that this process was started with.
    package static func runProcess() {
        guard ProgramArguments.areUTF8(.init(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))) else {
            StandardError.write("Error: An argument is not UTF-8.")
            Glibc.exit(ExitCode.validationFailure.rawValue)
        }
        main()
    }

    /// The command without arguments, which shows its help.
    package init() {}
}
