// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl helper`.
struct HelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper",
        abstract: "Makes git, docker and other programs keep their credentials in the keychain.",
        discussion: CommandDiscussion.text(
            """
            Each of these programs runs a helper for its credentials. 'install' writes into the program's configuration \
            which one; --undo brings it back.
            """,
            examples: [
                "keychainctl helper status": "Shows which programs use the keychain.",
                "keychainctl helper install git docker": "Makes two programs use it.",
                "keychainctl helper install git --dry-run": "Shows what that would change.",
            ]
        ),
        subcommands: [HelperStatusCommand.self, InstallHelperCommand.self],
        defaultSubcommand: HelperStatusCommand.self
    )
}

/// `keychainctl helper install`.
struct InstallHelperCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Writes the helper into the configuration of programs.",
        discussion: CommandDiscussion.text(
            """
            A copy of the file is kept beside it (.before-keychainctl). A file that is a link, of another user, or not \
            understood is left alone.
            """,
            examples: [
                "keychainctl helper install git": "Makes git keep its passwords in the keychain.",
                "keychainctl helper install aws --profile work": "Takes the keys of a profile from there.",
                "keychainctl helper install docker --undo": "Brings the configuration back as it was.",
            ]
        )
    )

    @Argument(help: "git, docker, cargo, aws, kubectl, pip or ssh; several are done one after the other.")
    var programs: [HelpedProgram]

    @Option(help: ArgumentHelp("The profile of aws, or the user of kubectl.", valueName: "name"))
    var profile: String?

    @Flag(help: "Show what would be changed, and change nothing.")
    var dryRun = false

    @Flag(help: "Take the helper out again.")
    var undo = false

    func run() throws {
        let surroundings = Surroundings.current
        for program in programs {
            let plan = HelperPlan(program: program, profile: profile, surroundings: surroundings)
            let change = try undo ? plan.removal() : plan.installation()
            guard !change.isNothing else {
                surroundings.printLine("\(program.rawValue): nothing to change.")
                for remark in change.remarks { surroundings.remark(remark) }
                continue
            }
            if !dryRun { try change.perform() }
            for step in change.steps { surroundings.printLine(step) }
            for remark in change.remarks { surroundings.remark(remark) }
            if !undo, let advice = program.advice { surroundings.remark(advice) }
        }
        if dryRun { surroundings.printLine("Nothing was changed.") }
    }
}

/// `keychainctl helper status`.
struct HelperStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows which programs keep their credentials in the keychain.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl helper status": "Shows a line for each program.",
            "keychainctl helper status git docker": "Shows two of them.",
        ])
    )

    @Argument(help: "Programs; else all.")
    var programs: [HelpedProgram] = []

    func run() throws {
        let surroundings = Surroundings.current
        for program in programs.isEmpty ? HelpedProgram.allCases : programs {
            let plan = HelperPlan(program: program, profile: nil, surroundings: surroundings)
            surroundings.printLine("\(program.rawValue): \(plan.status)")
        }
    }
}
