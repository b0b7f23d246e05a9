// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAudit
import KeychainCore
import KeychainHost
import KeychainOnDemand
import KeychainRouting

/// Where the entries of a log come from.
protocol LogSource: AnyObject {
    /// Whether requests are logged.
    var isOn: Bool { get }

    /// The message to show when they are not.
    var remark: String { get }

    /// The new entries.
    func next() throws(Refusal) -> LogPart

    /// Waits for new entries; returns `false` if the log is not being followed.
    func wait() -> Bool
}

/// Entries of a log, oldest first.
struct LogPart {
    var entries: [AuditEntry] = []
    /// The number of lines that are not valid entries.
    var unreadable = 0
    /// The reason why reading stopped.
    var problem: String?

    init() {}

    init(_ part: AuditReader.Part) { (entries, unreadable) = (part.entries, part.unreadable) }

    /// The same with the last entries only.
    func suffix(_ count: Int) -> LogPart {
        var part = self
        part.entries = entries.suffix(count)
        return part
    }
}

/// The log of the user's own daemon: a file that the user owns.
final class AuditFileSource: LogSource {
    private let folder: PrivateDirectory
    private let watch: FolderWatch?
    private var reader: AuditReader

    /// The log beside the user's keychain.
    init(_ service: KeychainService, follows: Bool) throws(Refusal) {
        guard let folder = try service.folder() else {
            throw Refusal("there is no keychain, and so no log of its daemon")
        }
        self.folder = folder
        // Watched before it is read, so that no entry is missed.
        do { watch = follows ? try FolderWatch(folder.path, for: .newNamesAndWrites) : nil } catch {
            throw Refusal("\(error)")
        }
        reader = AuditReader(in: folder)
    }

    var isOn: Bool { AuditSettings(in: folder) != nil }

    var remark: String { "Requests are not logged; 'keychainctl service audit on' starts a log." }

    func next() throws(Refusal) -> LogPart {
        do { return LogPart(try reader.next()) } catch { throw Refusal("\(error)") }
    }

    func wait() -> Bool {
        guard let watch else { return false }
        watch.wait()
        _ = watch.readChangedNames()
        return true
    }
}

/// The log of the system service, which returns the entries of the user's programs.
final class SystemLogSource: LogSource {
    private let service: DaemonOnDemand
    private let follows: Bool
    private var last = 0
    private(set) var isOn = false

    private static let secondsBetweenPages: UInt32 = 1

    init(_ service: DaemonOnDemand, follows: Bool) {
        self.service = service
        self.follows = follows
    }

    var remark: String { "The system service does not log requests; root has to start it with --audit." }

    func next() throws(Refusal) -> LogPart {
        var part = LogPart()
        while true {
            let last = last
            let reply = try refusing { () throws(KeychainError) in
                try service.perform(.maintenance(.auditLog(after: last)))
            }
            guard case .auditPage(let page) = reply else { throw Refusal("unexpected reply of the system service") }
            isOn = page.isOn
            part.unreadable += page.unreadable
            for line in page.lines {
                if let entry = AuditEntry(line: line.utf8) { part.entries.append(entry) } else { part.unreadable += 1 }
            }
            // Only a damaged log has a page that does not advance.
            guard !page.lines.isEmpty, page.end > last else { return part }
            self.last = page.end
        }
    }

    func wait() -> Bool {
        guard follows else { return false }
        sleep(Self.secondsBetweenPages)
        return true
    }
}

/// The logs of all users of the system service, for root.
enum SystemLogs {
    /// Reads each user's log in the order of user IDs; one that cannot be read does not hide the others.
    static func read(in folder: String, _ show: (LogPart) -> Void) throws(Refusal) {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Refusal("there is no folder \(folder) of the system service")
        }
        guard geteuid() == 0 || geteuid() == status.st_uid else {
            throw Refusal("only root shows the log of all users; without --all-users, your own is shown")
        }
        for user in FolderNames.of(folder, beginningWith: "").compactMap({ UInt32($0) }).sorted() {
            var reader = AuditReader(path: "\(folder)/\(user)", of: status.st_uid)
            var part = LogPart()
            do throws(FileError) { part = LogPart(try reader.next()) } catch {
                part.problem = "The log of user \(user) cannot be read: \(error)"
            }
            show(part)
        }
    }
}
