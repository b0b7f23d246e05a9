// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost

/// The schedule of a keychain's backups, and what came of the last ones: a file beside the keychain, without secrets.
struct BackupSchedule: Codable, Equatable {
    /// Distinguishes its files from those of other keychains in one folder.
    let identifier: String

    /// The folder of the keychain that it was made for.
    let place: SchedulePlace

    /// The folder of the backups.
    var folder: String

    /// How many are kept.
    var keep: Int

    /// When they are made (systemd.time(7), "Calendar events").
    var calendar: String

    /// The systemd timer that makes them; `nil` where somebody else has to start them, as cron.
    var timer: String?

    /// The last complete one.
    var lastGood: MadeBackup?

    /// The last one, if it is not complete.
    var lastIncomplete: MadeBackup?

    /// Why a later one failed.
    var lastFailure: Failure?

    /// A backup that failed.
    struct Failure: Codable, Equatable {
        let date: String
        let reason: String
    }

    /// Whether it was read in another folder than that of its keychain, such as a copy of that.
    private(set) var isOfOtherFolder = false

    private enum CodingKeys: CodingKey {
        case identifier, place, folder, keep, calendar, timer, lastGood, lastIncomplete, lastFailure
    }

    /// A schedule that nothing was done for yet.
    init(of place: SchedulePlace, folder: String, keep: Int, calendar: String) {
        // Of eight digits.
        identifier = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        self.place = place
        self.folder = folder
        self.keep = keep
        self.calendar = calendar
    }

    // MARK: - The file

    static let fileName = "backup-schedule.json"
    private static let lockName = "backup-schedule.lock"
    private static let largestFile = 1 << 20

    /// The schedule of a keychain; `nil` if it has none.
    ///
    /// - Parameter folder: the folder of the keychain.
    /// - Throws: ``Refusal`` for a file that cannot be read, or is damaged.
    init?(in folder: String) throws(Refusal) {
        let path = "\(folder)/\(Self.fileName)"
        let bytes: [UInt8]
        do throws(FileError) {
            guard let file = try AtomicFile.read(path, limit: Self.largestFile) else { return nil }
            bytes = file.bytes
        } catch {
            throw Refusal("\(error)")
        }
        guard let schedule = try? JSONDecoder().decode(Self.self, from: Data(bytes)), schedule.isSound else {
            throw Refusal("\(path) is damaged; remove it, and schedule the backups again")
        }
        self = schedule
        isOfOtherFolder = SchedulePlace(folder) != place
    }

    /// Whether the names that are made of it are names, and its folder is one.
    private var isSound: Bool {
        identifier.utf8.count == 8 && identifier.allSatisfy { $0.isHexDigit && $0.isASCII } && folder.isAbsolutePath
            && Self.keepable.contains(keep) && timers.contains(timer)
    }

    private var timers: [String?] {
        [nil, BackupUnits.timer(BackupUnits.name), BackupUnits.timer(BackupUnits.name(for: identifier))]
    }

    /// How many backups can be kept.
    static let keepable = 1...1_000

    /// Writes the file, as a whole.
    func write(in folder: PrivateDirectory) throws(Refusal) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { throw Refusal("the schedule cannot be encoded") }
        do throws(FileError) {
            _ = try AtomicFile.replace(folder.path(of: Self.fileName), nil, with: Array(data) + [0x0A])
        } catch {
            throw Refusal("the schedule cannot be recorded: \(error)")
        }
    }

    /// Runs `body` while no other process makes a scheduled backup or changes the schedule.
    static func exclusively<Result>(
        _ folder: PrivateDirectory,
        _ body: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let lock: FileLock
        do throws(FileError) {
            lock = try FileLock(lockName, in: folder, until: Deadline(milliseconds: 10_000))
        } catch {
            throw Refusal("another scheduled backup is under way: \(error)")
        }
        let result = try body()
        _ = consume lock
        return result
    }

    /// The schedule, unless it is another folder's.
    var ofThisFolder: BackupSchedule? { isOfOtherFolder ? nil : self }

    /// Refuses the copy of a schedule that a copy of a keychain's folder has.
    func checkPlace() throws(Refusal) {
        guard isOfOtherFolder else { return }
        throw Refusal(
            "the schedule here is that of another folder, which is or was \(place.path.printable): in a copy of it, or where it "
                + "was moved to, no backup is made or removed; \(Self.remedy)"
        )
    }

    /// What stays of the schedule of another folder.
    var remains: String {
        let start =
            timer.map { "'systemctl --user disable --now \($0)' ends its timer" } ?? "remove its line from your crontab"
        return
            "The schedule of \(place.path.printable) stays there, with its backups; if that folder was moved here, \(start)."
    }

    private static let remedy = "'keychainctl backup schedule --to FOLDER --keep N' makes one for this folder"

    // MARK: - Status

    /// The rows of `backup status`.
    var rows: [(name: String, value: String)] {
        guard !isOfOtherFolder else {
            return [("Schedule", "none of this folder, only that of \(place.path.printable); \(Self.remedy)")]
        }
        return [
            ("Folder", folder.printable), ("Keeps", "\(keep)"),
            ("Runs", timer.map { "\(calendar), by \($0)" } ?? "when 'keychainctl backup run-scheduled' is started"),
            ("Last complete", lastGood?.text ?? "none yet"),
        ] + (lastIncomplete.map { [("Last backup", $0.text), ("It lacks", $0.lacking)] } ?? [])
            + (lastFailure.map { [("Failed since", "\($0.date): \($0.reason.printable)")] } ?? [])
    }

    /// One line, for the status of the device.
    var line: String {
        if isOfOtherFolder { return "none of this folder, only that of \(place.path.printable)" }
        let good = lastGood.map { "last complete one \($0.date)" } ?? "none complete yet"
        if let lastFailure { return "failed \(lastFailure.date) (\(lastFailure.reason.printable)); \(good)" }
        return lastIncomplete.map { "incomplete \($0.date) (\($0.lacking)); \(good)" } ?? good
    }

    /// Whether the last one is complete.
    var isGood: Bool { !isOfOtherFolder && lastIncomplete == nil && lastFailure == nil }

    /// The schedule as JSON.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "folder": .string(folder), "keep": .integer(keep), "calendar": .string(calendar),
            "timer": timer.map { .string($0) } ?? .null,
            "lastGood": lastGood?.json ?? .null, "lastIncomplete": lastIncomplete?.json ?? .null,
            "lastFailure": lastFailure.map { .object(["date": .string($0.date), "reason": .string($0.reason)]) }
                ?? .null,
        ]
        // This folder has none of that.
        if isOfOtherFolder { members = members.mapValues { _ in .null } }
        members["otherFolder"] = isOfOtherFolder ? .string(place.path) : .null
        return members
    }
}
