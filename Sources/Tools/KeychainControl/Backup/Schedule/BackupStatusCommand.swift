// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainHost

/// `keychainctl backup status`: shows the schedule and what came of it.
struct BackupStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the schedule, the last good backup, and why a later one failed.",
        discussion: CommandDiscussion.text(
            "Exit status 1 means that no backups are scheduled, or that the last one failed.",
            examples: [
                "keychainctl backup status":
                    "Says when the last good backup was."
            ]
        )
    )

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws { try Self.show(json: json, Surroundings.current) }

    static func show(json: Bool, _ surroundings: Surroundings) throws {
        let host = try surroundings.scheduleHost()
        guard let schedule = try BackupSchedule(in: host.location.path) else {
            throw Refusal("no backups are scheduled; 'keychainctl backup schedule --to FOLDER --keep N' does that")
        }
        surroundings.printLine(
            json ? JSONText.indented(schedule.json) : StatusRows.text(schedule.rows)
        )
        if schedule.lastFailure != nil { throw ExitCode.failure }
    }
}
