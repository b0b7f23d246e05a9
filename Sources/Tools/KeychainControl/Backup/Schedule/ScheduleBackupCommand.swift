// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// `keychainctl backup schedule`: has backups made regularly.
struct ScheduleBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Has backups made regularly, verified, and the last ones kept.",
        discussion: CommandDiscussion.text(
            """
            A timer of the user's systemd runs 'keychainctl backup run-scheduled'; without one, the line for cron is \
            printed. The secret of these backups is made by this command and stored in the keychain. It is shown once, \
            at the terminal or by --secret-fd: keep it elsewhere, because on another device nothing else opens them.

            The folder must exist. Only backups of this schedule are removed from it. The first one is made at once. A \
            locked keychain is not backed up: that run fails, and the earlier backups stay. A schedule is that of one \
            folder of a keychain: in a copy, or a folder that was moved, make another one.
            """,
            examples: [
                "keychainctl backup schedule --to /media/disk --keep 7":
                    "Has a backup made each day, and keeps seven.",
                "keychainctl backup schedule --remove":
                    "Ends that; the backups stay.",
            ]
        )
    )

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The folder of the backups.", valueName: "folder"),
        completion: .directory
    )
    var folder: String?

    @Option(help: ArgumentHelp("How many backups to keep.", valueName: "n"))
    var keep: Int?

    @Option(help: ArgumentHelp("When to make them, as systemd.time(7) has it; else daily.", valueName: "calendar"))
    var at: String?

    @Flag(help: "Make another secret. Earlier backups keep theirs.")
    var newSecret = false

    @Flag(help: "End the schedule, and remove its secret from the keychain. The backups stay.")
    var remove = false

    @Flag(help: "Show the schedule, as 'backup status' does.")
    var status = false

    @OptionGroup var passcode: PasscodeOptions

    @Option(
        name: .customLong("secret-fd"),
        help: ArgumentHelp(
            "Write the new secret to this descriptor, one line, instead of the terminal.",
            valueName: "n"
        ),
        transform: GivenDescriptor.init(argument:)
    )
    var secretDescriptor: GivenDescriptor?

    func validate() throws {
        try secretDescriptor?.check(.writing, of: "secret-fd")
        let changes = folder != nil || keep != nil || at != nil || newSecret || secretDescriptor != nil
        guard [remove, status, changes].filter(\.self).count <= 1 else {
            throw ValidationError("--remove and --status exclude each other and all that makes a schedule.")
        }
        guard remove || status || folder != nil && keep != nil else {
            throw ValidationError("A schedule takes --to FOLDER and --keep N.")
        }
        guard folder?.isEmpty != true else { throw ValidationError("--to takes the path of a folder.") }
        guard keep.map(BackupSchedule.keepable.contains) ?? true else {
            throw ValidationError("--keep takes a number from 1 to \(BackupSchedule.keepable.upperBound).")
        }
        guard at.map(BackupUnits.isCalendar) ?? true else {
            throw ValidationError("--at takes a calendar event of systemd.time(7), such as daily or 'Mon *-*-* 03:00'.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if status { return try BackupStatusCommand.show(json: false, surroundings) }
        let host = try surroundings.scheduleHost()
        if remove { return try end(host, surroundings) }
        guard let folder, let keep else { return }
        try begin(host, to: AbsolutePath.of(folder), keeping: keep, in: surroundings)
        do throws(Refusal) {
            try ScheduledRun(surroundings: surroundings, host: host).run()
        } catch {
            throw Refusal("the backups are scheduled, but the first one has a problem: \(error)")
        }
    }

    private func begin(
        _ host: ScheduleHost,
        to path: String,
        keeping keep: Int,
        in surroundings: Surroundings
    ) throws(Refusal) {
        try surroundings.checkIsOutsideOfKeychain(path)
        try surroundings.unlockForBackup(passcode, "schedule backups of the keychain")
        let folder = try host.folder()
        let maintenance = surroundings.keychain.maintenance
        try BackupSchedule.exclusively(folder) { () throws(Refusal) in
            let found = try BackupSchedule(in: folder.path)
            guard let place = SchedulePlace(folder.path) else { throw Refusal("the keychain has no folder") }
            let former = found?.ofThisFolder
            var schedule = former ?? BackupSchedule(of: place, folder: path, keep: keep, calendar: "daily")
            // The timer that the other folder has stays.
            if let found, former == nil {
                schedule.timer = BackupUnits.timer(BackupUnits.name(for: schedule.identifier))
                surroundings.remark(found.remains)
            }
            (schedule.folder, schedule.keep, schedule.calendar) = (path, keep, at ?? "daily")
            let target = try BackupFolder(of: schedule)
            let wasMarked = target.isMarked
            var hasNewSecret = false
            do throws(Refusal) {
                try target.mark()
                if former == nil || newSecret {
                    try makeSecret(maintenance, surroundings)
                    hasNewSecret = true
                } else {
                    surroundings.remark("The secret of the schedule stays; --new-secret makes another one.")
                }
                try start(&schedule, on: host, in: surroundings)
                try schedule.write(in: folder)
            } catch {
                if !wasMarked { target.unmark() }
                guard hasNewSecret else { throw error }
                throw Refusal(
                    former == nil
                        ? "\(error)\nNothing is scheduled, and the secret that was shown is not used."
                        : "\(error)\nThe secret that was shown counts: backups made from now on open with it."
                )
            }
            if let former, former.folder != path { try? BackupFolder(of: former).unmark() }
        }
    }

    private func makeSecret(
        _ maintenance: KeychainMaintenance,
        _ surroundings: Surroundings
    ) throws(Refusal) {
        let secret = BackupSecretText.make()
        // Before it is stored: a secret that nobody has seen opens nothing on another device.
        try show(secret, surroundings)
        do throws(KeychainError) { try maintenance.setBackupSecret(secret) } catch {
            let isUnknown = [.storage(.doubtfulCommit), .service(.silentAfterCommand)].contains(error.kind)
            throw Refusal(
                isUnknown
                    ? "\(Refusal(error))\nKeep the secret that was shown, and the former one: one of both is used."
                    : "the secret that was shown is not used: \(Refusal(error))"
            )
        }
    }

    private func show(_ secret: SecretBytes, _ surroundings: Surroundings) throws(Refusal) {
        if let secretDescriptor {
            let number = try secretDescriptor.checked(.writing, of: "secret-fd")
            guard SecretLine.write(secret, to: number) else {
                throw Refusal("descriptor \(number) cannot be written: \(String(cString: strerror(errno)))")
            }
        } else if !surroundings.showSecret(secret) {
            throw Refusal("there is no terminal to show the secret of the backups at; have it written by --secret-fd")
        }
    }

    private func start(
        _ schedule: inout BackupSchedule,
        on host: ScheduleHost,
        in surroundings: Surroundings
    ) throws(Refusal) {
        let units = host.units(schedule)
        guard !([units.program] + units.variables.map(\.value)).contains(where: { $0 != $0.printable }) else {
            throw Refusal("the path of this program or of the keychain has characters that end a line")
        }
        guard let manager = host.manager else {
            schedule.timer = nil
            surroundings.printLine(
                """
                No systemd of the user is running, so nothing starts the backups by itself. A line for 'crontab -e':
                \(units.cronLine(runtimeFolder: ProcessEnvironment.value("XDG_RUNTIME_DIR")))
                """
            )
            if at != nil { surroundings.remark("--at is for systemd: set the time in the line.") }
            return warn(surroundings)
        }
        try SystemdUnits.write(units.files, to: manager.unitFolder)
        guard manager.run(["daemon-reload"]), manager.run(["enable", "--now", units.timer]) else {
            throw Refusal("systemd did not start \(units.timer); see 'systemctl --user status \(units.timer)'")
        }
        schedule.timer = units.timer
        surroundings.printLine("\(units.timer) makes a backup: \(schedule.calendar).")
        warn(surroundings)
    }

    /// A run is a program of its own, which starts locked if no daemon has the keychain.
    private func warn(_ surroundings: Surroundings) {
        let device = surroundings.keychain.device
        guard let status = try? device.status(), status.hasPasscode, !surroundings.unlocksForAll() else { return }
        surroundings.remark(
            "A passcode is set and no daemon has the keychain, so every scheduled run starts locked and fails: "
                + "'keychainctl service enable' lets one unlock do for all programs."
        )
    }

    private func end(_ host: ScheduleHost, _ surroundings: Surroundings) throws(Refusal) {
        let folder = try host.folder()
        guard let schedule = try BackupSchedule(in: folder.path) else { throw Refusal("no backups are scheduled") }
        try surroundings.unlockForBackup(passcode, "end the schedule of backups")
        try BackupSchedule.exclusively(folder) { () throws(Refusal) in
            if !schedule.isOfOtherFolder { stop(schedule, on: host) }
            let maintenance = surroundings.keychain.maintenance
            try refusing { () throws(KeychainError) in try maintenance.setBackupSecret(nil) }
            if !schedule.isOfOtherFolder { try? BackupFolder(of: schedule).unmark() }
            folder.remove(BackupSchedule.fileName)
        }
        guard !schedule.isOfOtherFolder else {
            return surroundings.printLine("The schedule and its secret are removed here. \(schedule.remains)")
        }
        let cron = schedule.timer == nil ? " Remove the line from your crontab." : ""
        surroundings.printLine(
            "No more backups are made; those in \(schedule.folder.printable) stay, and their secret opens them.\(cron)"
        )
    }

    private func stop(_ schedule: BackupSchedule, on host: ScheduleHost) {
        guard let manager = host.manager, schedule.timer != nil else { return }
        let units = host.units(schedule)
        _ = manager.run(["disable", "--now", units.timer])
        for file in units.files { unlink("\(manager.unitFolder)/\(file.name)") }
        _ = manager.run(["daemon-reload"])
    }
}
