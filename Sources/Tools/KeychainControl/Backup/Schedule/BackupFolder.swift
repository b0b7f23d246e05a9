// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// The folder of scheduled backups, which may have any other files, among them backups of other keychains.
struct BackupFolder {
    private let folder: PrivateDirectory
    private let identifier: String

    /// The folder of a schedule, which is never made.
    init(of schedule: BackupSchedule) throws(Refusal) {
        identifier = schedule.identifier
        do throws(FileError) {
            // The longest name of a file in it.
            folder = try FileTarget("\(schedule.folder)/.keychain-\(identifier)-00000000T000000.000Z.partial").folder
        } catch {
            throw Refusal("the folder of the backups cannot be used: \(error)")
        }
    }

    // MARK: - The mark

    /// Whether the folder is marked as that of the schedule.
    var isMarked: Bool { folder.isTaken(markName) }

    /// Marks the folder as that of the schedule.
    func mark() throws(Refusal) {
        do throws(FileError) {
            if !isMarked { try folder.makeEmptyFile(markName) }
            try folder.sync()
        } catch {
            throw Refusal("the folder of the backups cannot be marked: \(error)")
        }
    }

    /// Refuses a folder that was not marked: it is another one, such as the empty one where a disk is not mounted.
    func checkMark() throws(Refusal) {
        guard isMarked else {
            throw Refusal(
                "\(folder.path.printable) lacks the mark of the schedule, as where a disk is not mounted; if it is the "
                    + "right folder, schedule the backups again"
            )
        }
    }

    /// Removes the mark.
    func unmark() { folder.remove(markName) }

    private var markName: String { ".keychain-backups-\(identifier)" }

    // MARK: - The backups

    /// The path of a file.
    func path(of name: String) -> String { folder.path(of: name) }

    /// The name of a backup.
    func name(_ date: Timestamp, isComplete: Bool) -> String {
        "\(prefix)\(TimeText.name(date))\(Self.suffix(isComplete: isComplete))"
    }

    /// The name of one that is not verified yet.
    func partialName(_ date: Timestamp) -> String { "\(partialPrefix)\(TimeText.name(date)).partial" }

    /// The end of a name: neither kind is counted as the other.
    private static func suffix(isComplete: Bool) -> String { isComplete ? ".backup" : "-incomplete.backup" }

    private var prefix: String { "keychain-\(identifier)-" }

    private var partialPrefix: String { ".\(prefix)" }

    /// Gives a verified backup its name, durably and never over another file.
    func publish(_ partial: String, as name: String) throws(Refusal) {
        do throws(FileError) {
            try folder.publishNew(partial, as: name)
        } catch {
            throw Refusal("the backup cannot be given its name: \(error)")
        }
    }

    /// Removes what runs that were killed, or failed, have left.
    func removePartial() {
        for name in folder.names(beginningWith: partialPrefix) where isOwnFile(name) { folder.remove(name) }
    }

    /// Removes the oldest backups of this schedule up to one that was made, of which a number is kept.
    ///
    /// An incomplete one never replaces a complete one, which may be the last to have what it lacks: a number of each
    /// is kept. An incomplete one that is older than all complete ones that are kept is of no use.
    ///
    /// Those of a later date stay, and are not counted: the clock was wrong then, or is now, and they must neither take
    /// the places of others nor be lost. Once their date has passed, they are like others.
    func prune(upTo name: String, isComplete: Bool, keeping count: Int) {
        let made = [name] + backups(areComplete: isComplete).filter { $0 < name }.sorted(by: >)
        for old in made.dropFirst(count) { folder.remove(old) }
        guard isComplete, made.count >= count else { return }
        for old in backups(areComplete: false) where old < made[count - 1] { folder.remove(old) }
    }

    /// Whether a file is there.
    func has(_ name: String) -> Bool { folder.isTaken(name) }

    /// The backups of this schedule: files with our mark whose names a run gives.
    private func backups(areComplete: Bool) -> [String] {
        let suffix = Self.suffix(isComplete: areComplete)
        return folder.names(beginningWith: prefix).filter { name in
            let date = name.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
            return name == "\(prefix)\(date)\(suffix)" && Self.isDate(date) && isOwnFile(name) && hasMark(name)
        }
    }

    /// Whether a text has the form of ``TimeText/name(_:)``.
    private static func isDate(_ text: Substring) -> Bool {
        let pattern = "00000000T000000.000Z"
        return text.utf8.count == pattern.utf8.count
            && zip(text.utf8, pattern.utf8).allSatisfy { character, expected in
                expected == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) : character == expected
            }
    }

    private func isOwnFile(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(of: name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_uid == geteuid()
    }

    /// Whether a file has the mark of a backup (Documentation/Format.md, "Backup file"): "SKBK", in the header of a
    /// database.
    private func hasMark(_ name: String) -> Bool {
        let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 72)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return false }
        return header.starts(with: "SQLite format 3\0".utf8) && header[68...].elementsEqual("SKBK".utf8)
    }
}
