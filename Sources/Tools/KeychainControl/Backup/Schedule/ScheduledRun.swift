// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost

/// One scheduled backup: written beside its place, verified, and then named; the older ones go only after that.
struct ScheduledRun {
    let surroundings: Surroundings
    let host: ScheduleHost

    /// Makes a backup, and records what came of it.
    ///
    /// - Returns: The outcome, in words.
    func run() throws(Refusal) -> String {
        let folder = try host.folder()
        return try BackupSchedule.exclusively(folder) { () throws(Refusal) in
            guard var schedule = try BackupSchedule(in: folder.path) else {
                throw Refusal("no backups are scheduled; 'keychainctl backup schedule --to FOLDER --keep N' does that")
            }
            do throws(Refusal) {
                let made = try write(schedule)
                schedule.lastGood = made.good
                schedule.lastFailure = nil
                try schedule.write(in: folder)
                return made.text
            } catch {
                schedule.lastFailure = BackupSchedule.Failure(
                    date: BackupDate.text(host.now()),
                    reason: error.description
                )
                // The reason why it failed is the one that matters.
                try? schedule.write(in: folder)
                throw error
            }
        }
    }

    private func write(_ schedule: BackupSchedule) throws(Refusal) -> (good: BackupSchedule.Good, text: String) {
        let date = host.now()
        let folder = try BackupFolder(of: schedule)
        try folder.checkMark()
        folder.removePartial()
        let collected = surroundings.keychainFiles().collect()
        let (partial, name) = (folder.partialName(date), folder.name(date))
        let report: BackupReport
        do throws(Refusal) {
            report = try surroundings.writeBackup(to: folder.path(of: partial), .ofSchedule, collected.files)
            try check(folder.path(of: partial), report)
            try folder.publish(partial, as: name)
        } catch {
            folder.removePartial()
            throw error
        }
        folder.prune(upTo: name, keeping: schedule.keep)
        let good = BackupSchedule.Good(
            date: BackupDate.text(date),
            file: name,
            items: report.items,
            keychainFiles: report.files,
            omitted: collected.omitted
        )
        return (good, BackupText.created(report, omitting: collected.omitted, at: folder.path(of: name)))
    }

    /// Checks the file as far as it goes without the secret, which whoever has the keychain has done already: that it
    /// has arrived whole.
    private func check(_ path: String, _ report: BackupReport) throws(Refusal) {
        let outline = try refusing { () throws(KeychainError) in try BackupInspection(of: path).outline() }
        guard outline.items.values.reduce(0, +) == report.items, outline.files == report.files else {
            throw Refusal("the backup does not contain what was written to it")
        }
    }
}
