// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainHost

/// `keychainctl backup status`: shows the schedule and what came of it.
struct BackupStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the schedule, the last complete backup, and what a later one lacks, or why it failed.",
        discussion: CommandDiscussion.text(
            "Exit status 1 means that none are scheduled here, or that the last one failed or is not complete.",
            examples: [
                "keychainctl backup status":
                    "Says when the last complete backup was."
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
        guard schedule.isGood else { throw ExitCode.failure }
        // Where the disk of the backups is not mounted, nobody knows.
        if let last = schedule.lastGood, let folder = try? BackupFolder(of: schedule), folder.isMarked,
            !folder.has(last.file)
        {
            throw Refusal("\(last.file.printable) is not in its folder any more")
        }
    }
}
