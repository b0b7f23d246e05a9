// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A folder that belongs to this user alone, and its files: mode 0700, files 0600, or it is refused.
package struct PrivateDirectory: Sendable, Hashable {
    /// The path, without symbolic links.
    package let path: String

    /// Opens the folder of a location, and creates it if it is missing.
    ///
    /// - Throws: ``FileError``; nothing is created below a home that does not exist or, unless the folder itself was
    ///   specified, in a folder of another user, and a folder to which other users have access is refused.
    package init(_ location: KeychainLocation) throws(FileError) {
        if let parent = location.requiredParent {
            var status = stat()
            guard stat(parent, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .noHome(parent) }
        }
        try Self.checkNewFolder(of: location)
        try Self.make(location.path)
        path = try Self.resolve(location.path)
        try Self.checkLength(path)
        try Self.check(path, kind: S_IFDIR, expected: "a folder")
    }

    /// Opens the folder at a path in a folder that others may write to, such as /tmp, and creates it if it is missing.
    ///
    /// - Throws: ``FileError`` as ``init(_:)``, and for a symbolic link, even one that another user creates meanwhile:
    ///   it could lead to another folder of the user's.
    package init(inSharedFolder path: String) throws(FileError) {
        try Self.make(path)
        let parent = try Self.resolve(path.parentFolder)
        self.path = (parent == "/" ? "" : parent) + "/" + (path.pathNames.last ?? "")
        try Self.checkLength(self.path)
        // From here on, only the user and the owner of the folder around it can put anything else there.
        try Self.check(self.path, kind: S_IFDIR, expected: "a folder")
    }

    /// An existing folder that others may use as well: only the files that are created in it are private.
    init(shared path: String) throws(FileError) {
        self.path = try Self.resolve(path)
    }

    /// Whether files can be created in the folder: not on a file system that is mounted read-only, for example.
    package var isWritable: Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    /// The path of a file in the folder.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder that begin like this; none when the folder cannot be read.
    package func names(beginningWith prefix: String) -> [String] { FolderNames.of(path, beginningWith: prefix) }

    /// Whether there is a file of this name that belongs to this user alone.
    ///
    /// - Throws: ``FileError/exposed(path:_:)`` or ``FileError/wrongKind(path:expected:)`` if it is anything else.
    package func hasFile(_ name: String) throws(FileError) -> Bool {
        do throws(FileError) {
            try Self.check(path(of: name), kind: S_IFREG, expected: "a file")
            return true
        } catch .system(_, _, ENOENT) {
            return false
        }
    }

    /// Lends the first bytes of a file, at most `limit`, in memory that is wiped afterwards.
    package func withContents<Result>(
        of name: String,
        limit: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(FileError) -> Result {
        let path = path(of: name)
        try Self.check(path, kind: S_IFREG, expected: "a file")
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 8)
        defer {
            CSupport.wipe(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        var count = 0
        while count < limit {
            let got = read(descriptor, buffer.baseAddress.map { $0 + count }, limit - count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(call: "read", path: path, errno: errno) }
            if got == 0 { break }
            count += got
        }
        return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    /// Creates an empty file of mode 0600 under an unused name.
    package func makeEmptyFile(_ name: String) throws(FileError) {
        close(try makeFile(name))
    }

    /// Writes lines into an empty file, durably.
    func fill(_ name: String, lines: [String]) throws(FileError) {
        let descriptor = open(path(of: name), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", name) }
        defer { close(descriptor) }
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(FileError) in try write(bytes, to: descriptor, name) }
        }
        try written.get()
    }

    /// The suffix of the names of incomplete files.
    package static let temporarySuffix = ".new"

    /// The name that a file has once it is complete.
    package static func finalName(_ name: String) -> String {
        name.hasSuffix(temporarySuffix) ? String(name.dropLast(temporarySuffix.count)) : name
    }

    /// Makes a file with these bytes, complete and durable under its name, or not at all.
    package func makeFile(_ name: String, _ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let temporary = name + Self.temporarySuffix
        unlink(path(of: temporary))
        let descriptor = try makeFile(temporary)
        defer { close(descriptor) }
        do throws(FileError) {
            try write(bytes, to: descriptor, temporary)
            try publish(temporary, as: name)
        } catch {
            // On a full disk, it would take space for nothing.
            remove(temporary)
            throw error
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String) throws(FileError) {
        guard DescriptorOutput.write(bytes, to: descriptor) else { throw failure("write", name) }
        guard fsync(descriptor) == 0 else { throw failure("fsync", name) }
    }

    /// Gives a complete file its name, durably.
    package func publish(_ temporary: String, as name: String) throws(FileError) {
        try sync(file: temporary)
        guard rename(path(of: temporary), path(of: name)) == 0 else { throw failure("rename", temporary) }
        try Self.sync(path)
    }

    /// Gives a complete file its name, durably, unless the name is taken.
    ///
    /// - Throws: ``FileError``, for example ``FileError/taken(path:)``; the file keeps its temporary name in that case.
    package func publishNew(_ temporary: String, as name: String) throws(FileError) {
        try sync(file: temporary)
        try NewName.rename(path(of: temporary), to: path(of: name))
        try Self.sync(path)
    }

    /// Whether a name is taken, by any kind of file.
    package func isTaken(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(of: name), &status) == 0
    }

    /// Whether a file has another name as well, here or elsewhere on its file system (link(2)).
    package func hasOtherNames(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(of: name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 1
    }

    /// Moves an obstructing file aside, without overwriting one that was moved before.
    package func setAside(_ name: String) throws(FileError) {
        for number in 1... {
            let target = path(of: "\(name).orphan-\(number)")
            if access(target, F_OK) == 0 { continue }
            guard rename(path(of: name), target) == 0 else { throw failure("rename", name) }
            return try Self.sync(path)
        }
    }

    /// Makes the names in the folder durable.
    package func sync() throws(FileError) { try Self.sync(path) }

    /// Removes a file if it exists.
    package func remove(_ name: String) { unlink(path(of: name)) }

    /// Removes a file, durably, if it exists.
    package func removeDurably(_ name: String) throws(FileError) {
        guard unlink(path(of: name)) == 0 else {
            guard errno == ENOENT else { throw failure("unlink", name) }
            return
        }
        try sync()
    }

    private func makeFile(_ name: String) throws(FileError) -> Int32 {
        let descriptor = open(path(of: name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open", name) }
        // The process's umask may have removed the owner's own permissions.
        guard fchmod(descriptor, 0o600) == 0 else { throw failure("fchmod", name) }
        return descriptor
    }

    private func sync(file name: String) throws(FileError) {
        let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", name) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync", name) }
    }

    private func failure(_ call: String, _ name: String) -> FileError {
        .system(call: call, path: path(of: name), errno: errno)
    }

    /// The path without symbolic links.
    private static func resolve(_ path: String) throws(FileError) -> String {
        guard let resolved = realpath(path, nil) else { throw .system(call: "realpath", path: path, errno: errno) }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else { throw .notUTF8("what \(path) leads to", path) }
        return text
    }

    /// Refuses a folder to be created that could not be used, or would be in another user's folder.
    private static func checkNewFolder(of location: KeychainLocation) throws(FileError) {
        var missing: [String] = []
        var existing = location.path.pathNames
        var status = stat()
        while stat("/" + existing.joined(separator: "/"), &status) != 0 {
            guard errno == ENOENT || errno == ENAMETOOLONG, let last = existing.popLast() else { return }
            missing.insert(last, at: 0)
        }
        if missing.isEmpty { return }
        let parent = "/" + existing.joined(separator: "/")
        try checkLength(([try resolve(parent)] + missing).joined(separator: "/"))
        guard location.isNamed || [geteuid(), 0].contains(status.st_uid) else {
            throw .foreignHome(path: parent, owner: status.st_uid)
        }
    }

    private static func checkLength(_ path: String) throws(FileError) {
        guard path.utf8.count <= longestPath else {
            throw .unusablePath(path, "it is longer than \(longestPath) bytes")
        }
    }

    /// The maximum length of a folder's path: SQLite's limit for the path of a file is 512 bytes (SQLITE_CANTOPEN
    /// beyond them), and the names of files in it take less than the rest.
    private static let longestPath = 480

    /// Makes a folder and its missing parents, all of mode 0700, and syncs each parent.
    private static func make(_ path: String) throws(FileError) {
        if access(path, F_OK) == 0 { return }
        let parent = path.pathNames.dropLast().reduce("") { "\($0)/\($1)" }
        if !parent.isEmpty { try make(parent) }
        if mkdir(path, 0o700) == 0 {
            // The process's umask may have removed the owner's own permissions.
            guard chmod(path, 0o700) == 0 else { throw .system(call: "chmod", path: path, errno: errno) }
        } else if errno != EEXIST {
            throw .system(call: "mkdir", path: path, errno: errno)
        }
        try sync(parent.isEmpty ? "/" : parent)
    }

    private static func sync(_ folder: String) throws(FileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: folder, errno: errno) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder; they return EINVAL, and there is nothing to do about it.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .system(call: "fsync", path: folder, errno: errno)
        }
    }

    private static func check(_ path: String, kind: mode_t, expected: String) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(call: "lstat", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == kind else { throw .wrongKind(path: path, expected: expected) }
        guard status.st_uid == geteuid() else { throw .foreign(path: path, owner: status.st_uid) }
        guard status.st_mode & 0o077 == 0 else { throw .exposed(path: path, "is open to other users") }
    }
}
