// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost

/// The schedule of a keychain's backups, and what came of the last ones: a file beside the keychain, without secrets.
struct BackupSchedule: Codable, Equatable {
    /// Distinguishes its files from those of other keychains in one folder.
    let identifier: String

    /// The folder of the backups.
    var folder: String

    /// How many are kept.
    var keep: Int

    /// When they are made (systemd.time(7), "Calendar events").
    var calendar: String

    /// The systemd timer that makes them; `nil` where somebody else has to start them, as cron.
    var timer: String?

    /// The last one that was verified.
    var lastGood: Good?

    /// Why a later one failed.
    var lastFailure: Failure?

    /// A backup that was verified.
    struct Good: Codable, Equatable {
        let date: String
        let file: String
        let items: Int
        let keychainFiles: Int
        /// The keychain files that are not in it.
        let omitted: [UserKeychainFiles.Omitted]
    }

    /// A backup that failed.
    struct Failure: Codable, Equatable {
        let date: String
        let reason: String
    }

    /// A schedule that nothing was done for yet.
    init(folder: String, keep: Int, calendar: String) {
        // Of eight digits.
        identifier = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
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
    }

    /// Whether the names that are made of it are names, and its folder is one.
    private var isSound: Bool {
        identifier.utf8.count == 8 && identifier.allSatisfy { $0.isHexDigit && $0.isASCII } && folder.isAbsolutePath
            && Self.keepable.contains(keep)
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

    // MARK: - Status

    /// The rows of `backup status`.
    var rows: [(name: String, value: String)] {
        [
            ("Folder", folder.printable), ("Keeps", "\(keep)"),
            ("Runs", timer.map { "\(calendar), by \($0)" } ?? "when 'keychainctl backup run-scheduled' is started"),
            ("Last good backup", lastGood.map(Self.text) ?? "none yet"),
        ] + (lastFailure.map { [("Failed since", "\($0.date): \($0.reason.printable)")] } ?? [])
    }

    private static func text(_ good: Good) -> String {
        let report = BackupReport(items: good.items, files: good.keychainFiles, leftOut: [:], damaged: 0)
        let omitted = good.omitted.isEmpty ? "" : ", without \(Count.text(good.omitted.count, "keychain file"))"
        return "\(good.date), \(good.file.printable) (\(BackupText.contents(report))\(omitted))"
    }

    /// One line, for the status of the device.
    var line: String {
        let good = lastGood.map { "last good one \($0.date)" } ?? "none yet"
        return lastFailure.map { "failed \($0.date) (\($0.reason.printable)); \(good)" } ?? good
    }

    /// The schedule as JSON.
    var json: [String: JSONValue] {
        [
            "folder": .string(folder), "keep": .integer(keep), "calendar": .string(calendar),
            "timer": timer.map { .string($0) } ?? .null,
            "lastGood": lastGood.map { good in
                .object([
                    "date": .string(good.date), "file": .string(good.file), "items": .integer(good.items),
                    "keychainFiles": .integer(good.keychainFiles),
                    "omittedFiles": .array(
                        good.omitted.map { .object(["path": .string($0.path), "why": .string($0.why)]) }
                    ),
                ])
            } ?? .null,
            "lastFailure": lastFailure.map { .object(["date": .string($0.date), "reason": .string($0.reason)]) }
                ?? .null,
        ]
    }
}
