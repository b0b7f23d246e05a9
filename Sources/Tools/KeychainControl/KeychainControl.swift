// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainCore

/// The command `keychainctl`.
package struct KeychainControl: ParsableCommand {
    /// Its name and its subcommands, what most people need first.
    package static let configuration = CommandConfiguration(
        commandName: "keychainctl",
        abstract: "Manages the keychain and the programs that use it.",
        discussion: CommandDiscussion.text(
            """
            Passwords are stored and read by 'security'; 'keychainctl words' explains what a device, a passcode and a daemon \
            are.
            """,
            examples: [
                "keychainctl device": "Shows whether the keychain is locked.",
                "keychainctl backup create ~/keychain.backup": "Writes an encrypted backup.",
                "keychainctl help device unlock": "Explains a command.",
            ]
        ),
        version: ProductVersion.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Secrets",
                subcommands: [
                    SecretCommand.self, MoveCommand.self, BackupCommand.self, RecoveryKeyCommand.self,
                    ImportCommand.self, HelperCommand.self, SessionCommand.self, NetrcCommand.self,
                ]
            ),
            CommandGroup(
                name: "Keychain",
                subcommands: [
                    DeviceCommand.self, CheckCommand.self, RepairCommand.self, StoreCommand.self, ServiceCommand.self,
                    LogCommand.self, WordsCommand.self,
                ]
            ),
            CommandGroup(
                name: "Signing",
                subcommands: [TeamCommand.self, SignCommand.self, VerifyCommand.self]
            ),
            CommandGroup(
                name: "Developer",
                subcommands: [
                    DoctorCommand.self, TestCommand.self, TraceCommand.self, BundleIdentifierCommand.self,
                    IdentityNoteCommand.self,
                ]
            ),
        ]
    )

    /// The titles of the groups of its help, with the names of their commands.
    package static var groups: [(title: String, commands: [String])] {
        configuration.groupedSubcommands.map { group in (group.name, group.subcommands.map { $0._commandName }) }
    }

    /// Runs the command that this process was started with.
    package static func runProcess() {
        FileSizeSignal.ignore()
        GivenDescriptor.recordMissing(in: CommandLine.arguments)
        guard ProgramArguments.areUTF8(.init(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))) else {
            StandardError.write("Error: An argument is not UTF-8.")
            Glibc.exit(ExitCode.usage.rawValue)
        }
        do {
            var command = try parsed(Array(CommandLine.arguments.dropFirst()))
            try command.run()
        } catch {
            end(with: error)
        }
        endWithResult()
    }

    /// The command that arguments name.
    ///
    /// - Throws: An error of swift-argument-parser, which names what was meant by a mistyped command.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if let unknown = UnknownCommand(in: arguments, of: Self.self) { throw ValidationError(unknown.message) }
        return try parseAsRoot(arguments)
    }

    /// The command without arguments, which shows its help.
    package init() {}
}
