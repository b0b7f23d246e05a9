// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl session`: the Secret Service for programs where there is no session bus.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Gives programs the Secret Service where there is no session bus.",
        discussion: CommandDiscussion.text(
            """
            The keychain's daemon is the message bus then: on a server, in a container, over SSH. Where a session bus is \
            set, it is left alone.
            """,
            examples: [
                "keychainctl session -- secret-tool lookup service example": "Runs a program with the bus.",
                "eval \"$(keychainctl session env)\"": "Sets the bus for a shell and what it starts.",
                "keychainctl session env --shell fish | source": "The same in fish.",
            ]
        ),
        subcommands: [RunInSessionCommand.self, SessionEnvironmentCommand.self],
        defaultSubcommand: RunInSessionCommand.self
    )
}

/// `keychainctl session run`, or `keychainctl session --`: runs a program with the bus.
struct RunInSessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a command with the bus; its exit status is the command's.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl session run -- ./deploy": "Runs a script whose programs use the Secret Service."
        ])
    )

    @Argument(parsing: .postTerminator, help: "What to run, after --.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else { throw ValidationError("A command is needed, after '--'.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if !SessionBus.isThere(surroundings.environment) {
            surroundings.setEnvironment(SessionBus.variable, try surroundings.service().sessionBus())
        }
        let status = try surroundings.run(command, nil)
        guard status == 0 else { throw ExitCode(status) }
    }
}

/// `keychainctl session env`: prints assignments for a shell.
struct SessionEnvironmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env",
        abstract: "Prints the assignment that gives a shell the bus; nothing where a bus is set.",
        discussion: CommandDiscussion.text(examples: [
            "eval \"$(keychainctl session env)\"": "Sets the bus in bash, zsh and sh.",
            "keychainctl session env --shell fish | source": "Sets it in fish.",
        ])
    )

    /// A shell, by the form of its assignments.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case sh
        case bash
        case zsh
        case fish

        /// The command that sets an exported variable.
        func assignment(_ name: String, _ value: String) -> String {
            switch self {
            case .sh, .bash, .zsh:
                "\(name)=\(value.shellQuoted); export \(name)"
            case .fish:
                "set -gx \(name) '\(value.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
            }
        }
    }

    @Option(help: "The shell that reads it.")
    var shell = Shell.sh

    func run() throws {
        let surroundings = Surroundings.current
        guard !SessionBus.isThere(surroundings.environment) else { return }
        let address = try surroundings.service().sessionBus()
        surroundings.printLine(shell.assignment(SessionBus.variable, address))
    }
}
