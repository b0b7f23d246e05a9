// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import KeychainCore
import KeychainEngine
import KeychainHost

/// `keychainctl repair`: makes a sound keychain of what is left of a damaged one.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Makes a sound keychain of what is left of a damaged one, which is kept.",
        discussion: CommandDiscussion.text(
            """
            Everything that still opens, and every item whose keys are locked, is put into a new file, which then takes the place \
            of the damaged one. That is kept beside it, with its log, under a name with the date. Items that do not open are \
            left out, and listed. No program may use the keychain meanwhile; the user's daemon is stopped for it, and starts \
            again with the next call.

            Exit status: 0 repaired, or nothing to repair; 1 not repaired, or with --dry-run damaged; 2 wrong usage; 4 not \
            readable, as without its root key.
            """,
            examples: [
                "keychainctl repair --dry-run": "Says what a repair would bring back, and what would be lost.",
                "keychainctl repair --yes": "Repairs without asking.",
            ]
        )
    )

    @Flag(help: "Change nothing, and say what would be done.")
    var dryRun = false

    @Flag(help: "Go on without the changes of a log that is missing or damaged.")
    var acceptLostLog = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Ask for the passcode, if one is set, so that items behind it are mended as well.")
    var unlock = false

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        let keychain = CheckedKeychain(service, surroundings)
        let repair = StoreRepair(at: service.location)
        let outcome = try DamageExit.reporting(surroundings) {
            try repair.checkFiles()
            try keychain.refuseElsewhere()
            let secret =
                unlock || passcode.isGiven
                ? try passcode.source(surroundings).read(.passcode, .passcode, reason: "repair the keychain") : nil
            if dryRun { return try repair.plan(passcode: secret) }
            return try keychain.whileStopped { () throws(KeychainError) in
                try repair.run(
                    passcode: secret,
                    acceptsLostLog: acceptLostLog,
                    date: Self.date,
                    confirm: { yes || surroundings.confirm(RepairText.question($0)) ?? false }
                )
            }
        }
        surroundings.printLine(
            json ? try RepairText.json(outcome, service.location.path) : RepairText.plain(outcome, dryRun: dryRun)
        )
        let status = DamageExit.status(of: outcome)
        if status != .success { throw status }
    }

    /// The time in ISO 8601 without punctuation, which a name of a file can have.
    private static var date: String {
        Date().ISO8601Format(.init(dateSeparator: .omitted, timeSeparator: .omitted))
    }
}
