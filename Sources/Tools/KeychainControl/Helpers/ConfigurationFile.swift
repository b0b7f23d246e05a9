// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainCore
import KeychainHost

/// A configuration file of another program, which is replaced as a whole or not at all.
struct ConfigurationFile {
    let path: String

    /// The contents; empty if there is no file.
    let bytes: [UInt8]

    /// A copy of what was there before a change.
    struct Copy {
        let path: String
        let bytes: [UInt8]
    }

    private let mark: AtomicFile.Mark?

    /// The file that has to be new for whoever changes this one; `nil` if the program has no such custom.
    private let lockPath: String?

    /// The mode of the file.
    private let mode: mode_t

    /// The largest file that is changed: 1 MiB.
    static let largestByteCount = 1 << 20

    /// The suffix of the first copy of what was there before; those after it have a number.
    private static let copySuffix = ".before-keychainctl"

    private static let largestCopyCount = 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - home: the home folder that programs look into.
    ///   - takesLockFile: whether the program has a lock file while it changes the file.
    /// - Throws: ``Refusal`` for a link, a file of another user, anything but a file, and what
    ///   ``checkFolders(above:home:)`` refuses.
    init(_ path: String, home: String, takesLockFile: Bool) throws(Refusal) {
        try Self.checkFolders(above: path, home: home)
        lockPath = takesLockFile ? "\(path).lock" : nil
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
                throw Refusal("\(path) is a link, or not a file; change what it stands for by hand (see --dry-run)")
            }
            guard status.st_uid == geteuid() else { throw Refusal("\(path) belongs to another user") }
        } else if errno != ENOENT, errno != ENOTDIR {
            throw Refusal("\(path): \(String(cString: strerror(errno)))")
        }
        self.path = path
        mode = status.st_mode & 0o777
        let contents = try Self.refusing { () throws(FileError) in
            try AtomicFile.read(path, limit: Self.largestByteCount)
        }
        (bytes, mark) = (contents?.bytes ?? [], contents?.mark)
    }

    /// The contents as text.
    ///
    /// - Throws: ``Refusal`` unless they are UTF-8 without NUL.
    func text() throws(Refusal) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw Refusal("\(path) is not text in UTF-8")
        }
        return text
    }

    /// Refuses to the superuser the home folder of another user, and folders to which such a user leads: the user could
    /// not change what is made there, or would choose what the superuser changes.
    static func checkFolders(above path: String, home: String) throws(Refusal) {
        guard geteuid() == 0 else { return }
        let last = path.pathNames.starts(with: home.pathNames) ? home.pathNames.count : .max
        var (folder, isFound) = (path, false)
        repeat {
            folder = folder.parentFolder
            var (named, meant) = (stat(), stat())
            // The folders that are missing would be made.
            guard lstat(folder, &named) == 0 else { continue }
            isFound = true
            let isForeign = named.st_uid != 0 || stat(folder, &meant) == 0 && meant.st_uid != 0
            guard !isForeign else {
                throw Refusal("\(folder) belongs to another user; run this as that user, or set HOME to your own")
            }
        } while folder != "/" && !(isFound && folder.pathNames.count <= last)
    }

    // MARK: - Copies

    /// What was there before each change, the last one first; what somebody else named so is not told apart.
    var copies: [Copy] {
        copyNumbers.reversed().compactMap { number in
            let path = copyPath(number)
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                let contents = try? AtomicFile.read(path, limit: Self.largestByteCount)
            else { return nil }
            return Copy(path: path, bytes: contents.bytes)
        }
    }

    private func copyPath(_ number: Int) -> String { path + Self.copySuffix + (number == 1 ? "" : ".\(number)") }

    /// The numbers that are taken, by whatever.
    private var copyNumbers: [Int] {
        var status = stat()
        return (1...Self.largestCopyCount).filter { lstat(copyPath($0), &status) == 0 }
    }

    /// Keeps a copy of the contents under a name that nobody has.
    private func keepCopy() throws(Refusal) {
        guard copies.first?.bytes != bytes else { return }
        let number = (copyNumbers.last ?? 0) + 1
        guard number <= Self.largestCopyCount else {
            throw Refusal("there are too many copies of \(path) (\(Self.copySuffix)); remove those that nobody needs")
        }
        try Self.refusing { () throws(FileError) in
            _ = try AtomicFile.create(copyPath(number), bytes, mode: mode)
        }
    }

    // MARK: - Changes

    /// Replaces the file, or makes it.
    ///
    /// - Parameters:
    ///   - new: the new contents.
    ///   - keepsCopy: whether a copy of what it was is kept.
    /// - Throws: ``Refusal``; the file is as it was then.
    func replace(with new: [UInt8], keepsCopy: Bool) throws(Refusal) {
        try Self.refusing { () throws(FileError) in try AtomicFile.makeFolders(above: path) }
        if keepsCopy, mark != nil { try keepCopy() }
        try withLockFile { () throws(Refusal) in
            guard let mark else {
                return try Self.refusing { () throws(FileError) in _ = try AtomicFile.create(path, new) }
            }
            let isUnchanged = try Self.refusing { () throws(FileError) in
                try AtomicFile.replace(path, mark, with: new) != nil
            }
            guard isUnchanged else { throw Refusal("\(path) was changed by another program meanwhile; try again") }
        }
    }

    /// Changes the file while no program does that has the same lock file: what they have written since the file was
    /// read is noticed, and they do not write what they have read before.
    private func withLockFile(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        guard let lockPath else { return try body() }
        let descriptor = open(lockPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw Refusal("\(lockPath): \(String(cString: strerror(errno)))") }
            throw Refusal("another program changes \(path); try again, or remove \(lockPath) if there is none")
        }
        defer {
            unlink(lockPath)
            close(descriptor)
        }
        try body()
    }

    /// Removes a file that is the command's alone.
    func remove() throws(Refusal) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw Refusal("\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    private static func refusing<Result>(_ body: () throws(FileError) -> Result) throws(Refusal) -> Result {
        do { return try body() } catch { throw Refusal(error.description) }
    }
}

/// The lines in which two texts differ.
enum ConfigurationChanges {
    /// Those of the old text after a minus sign, and those of the new one after a plus sign.
    static func text(_ old: String, _ new: String) -> [String] {
        let difference = ConfigurationBlock.split(new).difference(from: ConfigurationBlock.split(old))
        let removed = difference.removals.compactMap { change in
            if case .remove(_, let line, _) = change { "- \(line)" } else { nil }
        }
        let added = difference.insertions.compactMap { change in
            if case .insert(_, let line, _) = change { "+ \(line)" } else { nil }
        }
        return removed + added
    }
}
