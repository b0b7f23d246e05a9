// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost

/// One scheduled backup: written beside its place, verified, and then named; the older ones go only after that.
struct ScheduledRun {
    let surroundings: Surroundings
    let host: ScheduleHost

    /// Makes a backup, records what came of it, and prints it.
    ///
    /// - Throws: ``Refusal``, also for a backup that is not complete.
    func run() throws(Refusal) {
        let folder = try host.folder()
        let made = try BackupSchedule.exclusively(folder) { () throws(Refusal) -> MadeBackup in
            guard var schedule = try BackupSchedule(in: folder.path) else {
                throw Refusal("no backups are scheduled; 'keychainctl backup schedule --to FOLDER --keep N' does that")
            }
            try schedule.checkPlace()
            do throws(Refusal) {
                let (made, text) = try write(schedule)
                if made.isComplete { schedule.lastGood = made }
                schedule.lastIncomplete = made.isComplete ? nil : made
                schedule.lastFailure = nil
                try schedule.write(in: folder)
                surroundings.printLine(text)
                return made
            } catch {
                schedule.lastFailure = BackupSchedule.Failure(
                    date: TimeText.text(host.now()),
                    reason: error.description
                )
                // The reason why it failed is the one that matters.
                try? schedule.write(in: folder)
                throw error
            }
        }
        guard made.isComplete else {
            throw Refusal(
                "the backup is not complete (\(made.lacking)); the complete ones are kept. 'keychainctl check' says more about "
                    + "what is damaged"
            )
        }
    }

    private func write(_ schedule: BackupSchedule) throws(Refusal) -> (made: MadeBackup, text: String) {
        let date = host.now()
        let folder = try BackupFolder(of: schedule)
        try folder.checkMark()
        folder.removePartial()
        let files = surroundings.keychainFiles()
        let collected = files.collect()
        let partial = folder.partialName(date)
        let report: BackupReport
        var made: MadeBackup
        do throws(Refusal) {
            report = try surroundings.writeBackup(to: folder.path(of: partial), .ofSchedule, collected.files)
            try check(folder.path(of: partial), report)
            made = MadeBackup(
                date: TimeText.text(date),
                items: report.items,
                keychainFiles: report.files,
                damagedItems: report.damaged,
                omitted: collected.omitted,
                damagedFiles: files.damaged(collected.files)
            )
            made.file = folder.name(date, isComplete: made.isComplete)
            try folder.publish(partial, as: made.file)
        } catch {
            folder.removePartial()
            throw error
        }
        folder.prune(upTo: made.file, isComplete: made.isComplete, keeping: schedule.keep)
        return (made, BackupText.created(report, omitting: collected.omitted, at: folder.path(of: made.file)))
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
