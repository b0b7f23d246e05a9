// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Checks the files of a keychain's folder by their names, modes and owners, without opening any.
struct FolderCheck {
    private let path: String
    private let names: [String]

    /// The folder at a path, which belongs to this process's user.
    init(_ folder: PrivateDirectory) {
        path = folder.path
        names = folder.names(beginningWith: "").sorted()
    }

    /// What is in the place of one of the store's files and is no regular file, such as a FIFO or a link, so that no
    /// program opens the store; `nil` if there is nothing like that.
    var obstacle: FileError? { firstNoFile(among: Self.filesOfDatabase) }

    /// The same for lock files as well, which no program could lock.
    var obstacleToChange: FileError? { firstNoFile(among: Self.filesOfDatabase + names.filter(Self.isLock)) }

    private func firstNoFile(among names: [String]) -> FileError? {
        for file in names.map({ "\(path)/\($0)" }) {
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            return .wrongKind(path: file, expected: "a file")
        }
        return nil
    }

    func run(into report: inout StoreReport) {
        checkFolder(&report)
        for name in names { check(name, &report) }
    }

    private func checkFolder(_ report: inout StoreReport) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        report.add(.folder, "\(path) is open to other users", remedy: "chmod 700 \(path)")
    }

    private func check(_ name: String, _ report: inout StoreReport) {
        if let remains = Self.remains(name) {
            report.add(.remains, "\(path)/\(name): \(remains)", isDamage: false)
        }
        guard Self.isOfStore(name) || Self.isLock(name) else { return }
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else { return }
        let file = "\(path)/\(name)"
        guard status.st_mode & S_IFMT == S_IFREG else {
            return report.add(.folder, "\(file) is not a file", remedy: "move it away")
        }
        // Who takes a lock gives its file the mode that it has to have.
        guard Self.isOfStore(name) else { return }
        if name.hasSuffix("-journal") {
            report.add(
                .folder,
                "\(file) is a rollback journal, which a keychain never has; with it, no program opens the store",
                remedy: "move it away"
            )
        }
        if status.st_uid != geteuid() {
            report.add(.folder, "\(file) belongs to another user (\(status.st_uid))", remedy: "chown it to this user")
        } else if status.st_mode & 0o077 != 0 {
            report.add(.folder, "\(file) is open to other users", remedy: "chmod 600 \(file)")
        }
        if name == Store.fileName, status.st_nlink > 1 {
            report.add(
                .folder,
                "\(file) has several names (hard links), so that it is only read",
                remedy: "while no program uses it: cp \(file) \(file).copy && mv \(file).copy \(file)"
            )
        }
    }

    /// The files that a store consists of, which programs refuse if others can use them.
    private static func isOfStore(_ name: String) -> Bool {
        (filesOfDatabase + [RootKeyFile.name, RootKeySettings.fileName]).contains(name)
    }

    private static let filesOfDatabase = ["", "-wal", "-shm", "-journal"].map { Store.fileName + $0 }

    /// The locks of a folder, of whatever part of the package.
    private static func isLock(_ name: String) -> Bool { name.hasSuffix(".lock") }

    /// What a process has left that was killed; `nil` for a file in place, and for one of somebody else's.
    private static func remains(_ name: String) -> String? {
        if name == IncomingKeychain.folderName {
            return "rows of a move that is under way or was interrupted; repeat 'keychainctl service enable --system' "
                + "or 'service disable', which finishes it"
        }
        if name == ReplacementMark.fileName {
            return "the root key is being replaced, or that was interrupted; the next program that opens the store "
                + "finishes it"
        }
        if isNumbered(name, after: RootKeyFile.name) || isNumbered(name, after: RootKeySettings.fileName) {
            return "a root key that may not be in place yet; leave it there: the next replacement or move settles it"
        }
        if name.hasPrefix("\(Store.fileName)-"), name.contains(".orphan-") {
            return "a log that belongs to no store here; it is never read, and can be removed"
        }
        if name.hasPrefix("\(Store.fileName).damaged-"), !name.hasSuffix(PrivateDirectory.temporarySuffix) {
            return "a store that was repaired, as it was before; remove it when nothing is missing"
        }
        if name.hasSuffix(PrivateDirectory.temporarySuffix) || name == "\(Store.fileName).joined" {
            return "left by a program that ended in the middle of a change; nothing uses it"
        }
        return nil
    }

    private static func isNumbered(_ name: String, after prefix: String) -> Bool {
        name.hasPrefix(prefix + ".") && RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count + 1))
    }
}
