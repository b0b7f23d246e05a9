// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl backup run-scheduled`: makes one backup of the schedule.
struct RunScheduledBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-scheduled",
        abstract: "Makes one backup of the schedule now, as the timer does.",
        discussion: CommandDiscussion.text(
            "It asks for nothing. Exit status 1 means that it failed or is not complete; 'backup status' says why.",
            examples: [
                "keychainctl backup run-scheduled":
                    "Makes the backup that is due."
            ]
        )
    )

    func run() throws {
        let surroundings = Surroundings.current
        let host = try surroundings.scheduleHost()
        try ScheduledRun(surroundings: surroundings, host: host).run()
    }
}
