// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore
import KeychainProtection

/// `keychainctl service`: the daemon that owns the keychain, if one does.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Makes the keychain over to a daemon that all programs use, and takes it back.",
        discussion: """
            Without the daemon each program opens the keychain by itself, and is unlocked by itself. With it one unlock is \
            for all programs of the user, until a lock.
            """,
        subcommands: [
            ServiceStatusCommand.self, EnableServiceCommand.self, DisableServiceCommand.self,
            RestartServiceCommand.self, UnitFilesCommand.self,
        ],
        defaultSubcommand: ServiceStatusCommand.self
    )
}

/// `keychainctl service enable`: makes the keychain over to the daemon.
struct EnableServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Makes the keychain over to the daemon; programs that run go on, through it.",
        discussion: "It is one change of the store: nothing is copied, and what programs write meanwhile is kept."
    )

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        let plan = try service.planOfEnabling()
        if dryRun { return surroundings.say(Steps.text(plan.steps)) }
        try service.enable()
        let isNew = plan.owner != .daemon
        surroundings.say(isNew ? "The daemon has the keychain now." : "The keychain is the daemon's already.")
        if isNew {
            surroundings.remark("If a passcode is set, it is locked: 'keychainctl device unlock' unlocks it for all.")
        }
    }
}

/// `keychainctl service disable`: takes it back.
struct DisableServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Takes the keychain back from the daemon; programs that run go on, without it.",
        discussion: "What was unlocked is locked: each program has to be unlocked by itself."
    )

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        let isEnabled = try service.owner() == .daemon
        if dryRun {
            if isEnabled { return surroundings.say(Steps.text(KeychainService.stepsOfDisabling)) }
            let hasRemains = try service.folder().map(service.hasRemains) ?? false
            return surroundings.say(hasRemains ? Steps.text([KeychainService.stepOfTidying]) : Steps.none)
        }
        try service.disable()
        surroundings.say(
            isEnabled
                ? "Programs open the keychain by themselves now."
                : "Programs open the keychain by themselves already; what was left of the daemon was removed."
        )
    }
}

/// `keychainctl service restart`: starts the daemon anew.
struct RestartServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Ends the daemon once the calls under way are answered, and starts it anew; it is locked then.",
        discussion: "For a new version of the program. With a passcode set, items wait for the next unlock."
    )

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        if dryRun {
            guard try service.owner() == .daemon else { return surroundings.say(Steps.none) }
            return surroundings.say(Steps.text(KeychainService.stepsOfRestarting))
        }
        try service.restart()
        surroundings.say("The daemon was started anew. The keychain is locked if a passcode is set.")
    }
}

/// `keychainctl service unit-files`: for packages.
struct UnitFilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit-files",
        abstract: "Writes the units of systemd, for a package.",
        shouldDisplay: false
    )

    @Option(help: "The folder to write them to.", completion: .directory)
    var output: String

    @Option(help: "The path of keychaind once it is installed.")
    var program: String

    func validate() throws {
        guard program.hasPrefix("/") else { throw ValidationError("The path of the program must be absolute.") }
    }

    func run() throws { try SystemdUnits(program: program).write(to: AbsolutePath.of(output)) }
}

/// Steps that would be carried out.
private enum Steps {
    static let none = "Nothing: programs open the keychain by themselves."

    static func text(_ steps: [String]) -> String {
        let lines = steps.enumerated().map { "  \($0.offset + 1). \($0.element)" }
        return (["Would, in this order:"] + lines).joined(separator: "\n")
    }
}
