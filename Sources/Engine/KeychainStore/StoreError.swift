// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore
import KeychainHost

/// The failures of a store.
package enum StoreError: Error, Sendable, Hashable {
    /// A file or folder of the store.
    case file(FileError)
    /// The file, or for `nil` the contents of a keychain file, is not a store, or its header is damaged.
    case notAStore(path: String?, String)
    /// The file was written by a newer version, which this one cannot read.
    case newer(FileVersion)
    /// The file was written by a newer version, and this one may read it only.
    case newerWriter(FileVersion)
    /// The file has another version than when it was opened.
    case changedVersion
    /// The file has the format before this one, and could not be brought up to date: why.
    case notMigrated(String)
    /// Another call of this process took longer than this one waits.
    case occupied
    /// The file was written by a version of this package that was never released.
    case neverReleased(path: String, version: Int64)
    /// A keychain in memory was used in a forked child.
    case lostByFork
    /// A keychain was used in a child that was forked in the midst of a call of another thread.
    case abandonedByFork
    /// The file is not a backup, or it is damaged.
    case notABackup(path: String, String)
    /// The backup was written by a newer version.
    case newerBackup(FileVersion)
    /// There is a store where one was to be restored.
    case storeExists(path: String)
    /// There is a rollback journal next to the store, which uses a log instead.
    case journal(path: String)
    /// No process can write in the store's folder, and the log cannot be read without an index.
    case unreadableLog(path: String)
    /// The file needs its log, which is missing, or is a different one.
    case missingLog(path: String)
    /// Processes of the host with the disk are using a store that other hosts are starting to share.
    case inLocalUse(path: String)
    /// The store is on a file system that several hosts may use, where it is written only if the user permits it.
    case sharedFolder(path: String, kind: String)
    /// The file has several names (hard links), each of which would have a log of its own, so that it is only read.
    case severalNames(path: String)
    /// Another process has a file open that is to be replaced.
    case inUse(path: String, holder: String)
    /// The SQLite of this process is older than what a store needs; versions as SQLite counts.
    case libraryTooOld(version: Int32, minimum: Int32)
    /// Making a change durable failed, and so did undoing it: it may take effect later.
    case doubtfulCommit(SQLiteError)
    /// SQLite reports an error.
    case sqlite(SQLiteError)
}

extension StoreError {
    /// The error for SQLite's result on opening a file: that it is not a database, or anything else.
    init(opening error: SQLiteError, path: String?) {
        self =
            [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode)
            ? .notAStore(path: path, error.description) : .sqlite(error)
    }
}

extension StoreError: CustomStringConvertible {
    /// One sentence: what is wrong and what to do.
    package var description: String {
        switch self {
        case .file(let error): "\(error)"
        case .notAStore(let path, let why):
            "\(path ?? "it") is not a keychain store or is damaged (\(why)); put it back from a backup"
        case .newer(let version):
            "the store has format \(version), written by a newer version; \(Self.way(from: version))"
        case .newerWriter(let version):
            "the store can only be read: it has format \(version), written by a newer version; \(Self.way(from: version))"
        case .changedVersion:
            "the store got another version, or its tables were altered, by another program; try again"
        case .notMigrated(let why):
            "the store can only be read: it has format \(FileFormat.text(of: FileFormat.formerVersion)), and could not be brought "
                + "up to date (\(why))"
        case .occupied: "the store is busy: other calls of this process took longer than the time-out; try again"
        case .neverReleased(let path, let version):
            "\(path) has layout \(version) of format 1, which was never released, and was left as it is; read it with the "
                + "version that wrote it, and move it away to begin with an empty store"
        case .lostByFork: "a keychain in memory does not outlive fork"
        case .abandonedByFork:
            "this process was forked while another thread was in the midst of a call; execute a program to use a keychain"
        case .notABackup(let path, let why): "\(path) is not a keychain backup or is damaged (\(why)); use another one"
        case .newerBackup(let version):
            "the backup has format \(version), written by a newer version; update this program, which has format "
                + FileFormat.text(of: FileFormat.version)
        case .storeExists(let path):
            "\(path) holds a keychain already; restore into a folder that has none, or merge the backup: "
                + "'keychainctl backup restore --merge'"
        case .journal(let path):
            "\(path) is a rollback journal, which a keychain never has; move it away, for SQLite would write it into the store"
        case .missingLog(let path):
            "\(path) was copied without its \(path)-wal, which has the latest changes, or that file was removed or replaced: put back "
                + "both files of one copy; or set SWIFT_KEYCHAIN_MISSING_LOG=accept for one command, to go on without those changes"
        case .sharedFolder(let path, let kind):
            "\(path) is on a file system that other hosts may use at the same time (\(kind)), where a keychain is only read, and not while it has a log: set "
                + "SWIFT_KEYCHAIN_HOME to a folder on a disk of this host, or SWIFT_KEYCHAIN_NETWORK_HOME=1 on all of them"
        case .severalNames(let path):
            "\(path) has several names (hard links), each of which would have changes of its own, so that it is only read: "
                + "end the programs that use it, and give it a file of its own, in its folder: "
                + "cp \(Store.fileName) new && mv new \(Store.fileName)"
        case .inLocalUse(let path):
            "\(path) is in use on the host on whose disk it lies, or a program ended there in the middle of a change, and it is not shared yet: end the programs that use it there, "
                + "or run keychainctl check there; if this is a copy, make it while no program uses the keychain"
        case .unreadableLog(let path):
            "\(path) has changes that are not in the store yet, and cannot be read in a folder that is not writable; "
                + "copy the folder to where it can be written"
        case .inUse(let path, let holder):
            "\(path) is in use by \(holder): end the programs that have the keychain open, and try again"
        case .libraryTooOld(let version, let minimum):
            "SQLite is \(SQLiteLibrary.text(version)), and a keychain needs \(SQLiteLibrary.text(minimum)); install a newer one"
        case .doubtfulCommit(let error):
            "\(error); whether the change was stored shows when the store is next opened: look before you make it again"
        case .sqlite(let error) where error.isFull:
            "there is no room for the change (\(error)); make room on the disk and try again"
        case .sqlite(let error) where error.isBusy:
            "the store is busy: another process held it for longer than the time-out; try again"
        case .sqlite(let error) where error.isDamage:
            "the store is damaged (\(error)); put it back from a backup"
        case .sqlite(let error): "\(error)"
        }
    }
}

extension StoreError {
    /// How a program of this version gets to use a store of a later one.
    private static func way(from version: FileVersion) -> String {
        let own = FileFormat.text(of: FileFormat.version)
        let update = "update this program, which has format \(own)"
        guard version.version >> 8 == FileFormat.version >> 8 else { return update }
        return update + ", or bring the store back with the newer one: keychainctl store downgrade \(own)"
    }
}

extension KeychainError {
    /// The status of a store's error (Semantics, "Error mapping", "Mapping of internal failures").
    package init(_ error: StoreError) {
        let status: Status
        switch error {
        case .sqlite(let underlying), .doubtfulCommit(let underlying): status = underlying.status
        case .file(let underlying): status = underlying.isOutOfSpace ? .diskFull : .notAvailable
        default: status = .notAvailable
        }
        self.init(status, "\(error)", kind: .storage(error.failure), facts: error.facts)
    }

    init(_ error: SQLiteError) { self.init(StoreError.sqlite(error)) }
}

extension StoreError {
    fileprivate var failure: KeychainError.StorageFailure {
        switch self {
        case .file(let error): error.isBusy ? .busy : error.isOutOfSpace ? .full : .file
        case .notAStore: .damaged
        case .newer, .newerWriter: .newerFormat
        case .changedVersion: .busy
        case .notMigrated: .readOnly
        case .occupied, .inLocalUse, .inUse: .busy
        case .neverReleased: .unreleasedFormat
        case .lostByFork: .lostByFork
        case .abandonedByFork: .abandonedByFork
        case .notABackup: .notABackup
        case .newerBackup: .newerBackup
        case .storeExists: .storeExists
        case .journal, .unreadableLog, .missingLog: .unreadableLog
        case .sharedFolder, .severalNames: .readOnly
        case .libraryTooOld: .libraryTooOld
        case .doubtfulCommit: .doubtfulCommit
        case .sqlite(let error): error.failure
        }
    }

    fileprivate var facts: [String: String] {
        switch self {
        case .file(let error): error.facts
        case .notAStore(let path, _): path.map { ["path": $0] } ?? [:]
        case .notABackup(let path, _), .storeExists(let path), .journal(let path),
            .unreadableLog(let path), .missingLog(let path), .inLocalUse(let path), .inUse(let path, _),
            .sharedFolder(let path, _), .severalNames(let path):
            ["path": path]
        case .neverReleased(let path, let version): ["path": path, "version": "\(version)"]
        case .newer(let version), .newerWriter(let version), .newerBackup(let version):
            ["version": version.text]
        case .libraryTooOld(let version, _): ["version": SQLiteLibrary.text(version)]
        case .doubtfulCommit(let error), .sqlite(let error):
            ["SQLite": "\(error.code)", "operation": error.operation]
        case .occupied, .lostByFork, .abandonedByFork, .changedVersion, .notMigrated: [:]
        }
    }
}

extension SQLiteError {
    fileprivate var failure: KeychainError.StorageFailure {
        if isBusy { return .busy }
        if isFull { return .full }
        if isDamage { return .damaged }
        if isInputOutput { return .inputOutput }
        return status == .readOnly ? .readOnly : .other
    }
}

/// Uses SQLite; an error of it is thrown as that of the store.
func sql<Result>(_ body: () throws(SQLiteError) -> Result) throws(KeychainError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw KeychainError(error) }
}
