// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// What a schedule needs of its host; tests substitute their own.
struct ScheduleHost: Sendable {
    /// The folder of the keychain.
    var location: KeychainLocation

    /// The user's systemd; `nil` where none is running.
    var manager: UserManager?

    /// The absolute path of this program.
    var program: String

    /// The variables by which a scheduled run finds the same keychain.
    var variables: [(name: String, value: String)]

    /// The clock.
    var now: @Sendable () -> Timestamp = { .now }

    /// The host of the process.
    static func process() throws(Refusal) -> ScheduleHost {
        let location: KeychainLocation
        do throws(FileError) {
            location = try KeychainLocation(environment: ProcessEnvironment.path)
        } catch {
            throw Refusal("\(error)")
        }
        guard let program = DaemonProgram.ownPath() else { throw Refusal("the path of this program is not known") }
        return ScheduleHost(
            location: location,
            manager: UserManager.current(output: ProgramOutput.probe),
            program: program,
            variables: [KeychainLocation.environmentVariable, "XDG_DATA_HOME"].compactMap { name in
                ProcessEnvironment.value(name).map { (name, $0) }
            }
        )
    }

    /// The folder of the keychain, made if it is missing.
    func folder() throws(Refusal) -> PrivateDirectory {
        do throws(FileError) { return try PrivateDirectory(location) } catch { throw Refusal("\(error)") }
    }

    /// The units of a schedule.
    func units(_ schedule: BackupSchedule) -> BackupUnits {
        // A folder that was named has a timer besides that of the user's own keychain, as has one in which a schedule
        // took the place of another folder's.
        let own = BackupUnits.name(for: schedule.identifier)
        return BackupUnits(
            name: location.isNamed || schedule.timer == BackupUnits.timer(own) ? own : BackupUnits.name,
            program: program,
            calendar: schedule.calendar,
            variables: variables
        )
    }
}

/// The systemd units of scheduled backups (systemd.timer(5), systemd.service(5)).
struct BackupUnits {
    /// The name of both, without a suffix.
    let name: String
    let program: String
    let calendar: String
    let variables: [(name: String, value: String)]

    /// The name of the units of the user's own keychain.
    static let name = "swift-keychain-backup"

    /// The name of the units of one schedule.
    static func name(for identifier: String) -> String { "\(name)-\(identifier)" }

    static func timer(_ name: String) -> String { "\(name).timer" }

    var timer: String { Self.timer(name) }

    var service: String { "\(name).service" }

    /// The files by their names.
    var files: [(name: String, text: String)] { [(timer, timerText), (service, serviceText)] }

    private var timerText: String {
        """
        # SPDX-License-Identifier: Apache-2.0
        [Unit]
        Description=Scheduled backups of the keychain

        [Timer]
        OnCalendar=\(calendar)
        Persistent=yes
        RandomizedDelaySec=5min

        [Install]
        WantedBy=timers.target

        """
    }

    private var serviceText: String {
        let environment = variables.map {
            "Environment=\(SystemdUnits.escaped("\($0.name)=\($0.value)", isCommand: false))\n"
        }
        return """
            # SPDX-License-Identifier: Apache-2.0
            [Unit]
            Description=Backup of the keychain

            [Service]
            Type=oneshot
            \(environment.joined())ExecStart=\(SystemdUnits.escaped(program)) backup run-scheduled
            LimitCORE=0
            UMask=0077
            WorkingDirectory=/
            UnsetEnvironment=LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH

            """
    }

    /// The characters of calendar events (systemd.time(7)): none ends the line, and none has a meaning of its own.
    static func isCalendar(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 256
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789 *:,.-/~_+".unicodeScalars.contains($0))
            }
    }

    /// A line for cron (crontab(5)), in which a percent sign ends the command; and the variables that its programs
    /// lack.
    func cronLine(runtimeFolder: String?) -> String {
        var words = variables.map { "\($0.name)=\($0.value.shellQuoted)" }
        // The sockets of daemons are there.
        if let runtimeFolder { words.append("XDG_RUNTIME_DIR=\(runtimeFolder.shellQuoted)") }
        words += [program.shellQuoted, "backup run-scheduled"]
        return "17 3 * * * " + words.joined(separator: " ").replacing("%", with: "\\%")
    }
}
