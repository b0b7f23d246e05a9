// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainAuthenticators
import KeychainCore

/// The command `keychainctl`.
package struct KeychainControl: ParsableCommand {
    /// Its name and its subcommands, what most people need first.
    package static let configuration = CommandConfiguration(
        commandName: "keychainctl",
        abstract: "Manages the keychain and the programs that use it.",
        discussion: CommandDiscussion.text(
            """
            'keychainctl words' explains what a device, a passcode and a daemon are. The same passwords are those of \
            'security', which is Apple's command, and of programs of the Secret Service.
            """,
            examples: [
                "keychainctl set github.com/ada": "Asks for a password, and stores it.",
                "keychainctl get github.com/ada": "Shows it.",
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
                    ListCommand.self, SearchCommand.self, BrowseCommand.self, ShowCommand.self, GetCommand.self,
                    SetCommand.self,
                    EditCommand.self, GenerateCommand.self, OneTimePasswordCommand.self, RenameCommand.self,
                    CopyCommand.self, MoveCommand.self, DeleteCommand.self, ClipCommand.self,
                    ClearClipboardCommand.self, AttributesCommand.self, HistoryCommand.self, UndoCommand.self,
                    NoteCommand.self, AttachCommand.self, AttachmentsCommand.self, DetachCommand.self,
                    ExpireCommand.self,
                ]
            ),
            CommandGroup(
                name: "Secrets for programs",
                subcommands: [
                    ExecCommand.self, KeepFolderCommand.self, InjectCommand.self, CredentialCommand.self,
                    HelperCommand.self, SessionCommand.self, NetrcCommand.self, AdoptCommand.self, ImportCommand.self,
                    ExportCommand.self,
                ]
            ),
            CommandGroup(
                name: "Keychain",
                subcommands: [
                    DeviceCommand.self, BackupCommand.self, RecoveryKeyCommand.self, CheckCommand.self,
                    RepairCommand.self, StoreCommand.self, ServiceCommand.self,
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

    /// The titles of the groups of its help, with the names of their commands that it shows.
    package static var groups: [(title: String, commands: [String])] {
        configuration.groupedSubcommands.map { group in
            (group.name, group.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName })
        }
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
        // The parser would repeat the value, which is the secret itself.
        if let option = arguments.lazy.compactMap({ $0.wholeMatch(of: /(--[a-z]+-stdin)=.*/.dotMatchesNewlines())?.1 })
            .first
        {
            throw ValidationError("\(option) takes no value: the secret is read from standard input.")
        }
        return try parseAsRoot(arguments)
    }

    /// The command without arguments, which shows its help.
    package init() {}
}
