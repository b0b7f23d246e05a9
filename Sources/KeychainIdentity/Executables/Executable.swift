// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc

/// An executable, opened: what is said of it is true of the file that is open, whatever its path leads to later.
struct Executable: ~Copyable {
    /// Its path, without symbolic links.
    let path: String

    /// Which file it is.
    let mark: FileMark

    private let file: Descriptor

    /// The executable of a process.
    ///
    /// - Parameters:
    ///   - file: the executable, opened.
    ///   - path: what the kernel says of its path.
    /// - Throws: ``IdentityError`` for one that is not, or is no more, under its path: nobody can say whose it was.
    init(_ file: consuming Descriptor, path: String) throws(IdentityError) {
        guard let status = file.status else { throw .system("fstat", path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw IdentityError("\(path) is no file") }
        guard !path.hasPrefix("/memfd:") else { throw IdentityError("it runs from memory and has no file") }
        guard status.st_nlink > 0 else {
            throw IdentityError("its executable was removed or replaced after it was started; start the program again")
        }
        var named = stat()
        guard path.hasPrefix("/"), lstat(path, &named) == 0, named.st_dev == status.st_dev,
            named.st_ino == status.st_ino
        else { throw IdentityError("its executable is not the one at \(path) any more; start the program again") }
        self.path = path
        self.file = file
        mark = FileMark(status)
    }

    /// The executable at a path, as a process started from it would have it.
    init(path: String) throws(IdentityError) {
        guard let resolved = realpath(path, nil) else { throw .system("realpath", path, errno) }
        defer { free(resolved) }
        guard let real = String(validatingCString: resolved) else {
            throw IdentityError("the path that \(path) leads to is not UTF-8")
        }
        guard let file = Descriptor(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            throw .system("open", real, errno)
        }
        try self.init(file, path: real)
    }

    /// Its SHA-256, and the mark that it had then.
    func digest(_ hashes: ExecutableHashes) throws(IdentityError) -> (SHA256Value, FileMark) {
        try hashes.digest(of: file.number, path)
    }

    /// Why no manifest can be about it, because it runs whatever others give it; `nil` when one can.
    func objection() throws(IdentityError) -> String? {
        guard let beginning = pread(count: 4) else { throw .system("reading", path, errno) }
        if beginning.starts(with: "#!".utf8) { return "it is a script, which its interpreter runs" }
        guard beginning == [0x7F] + Array("ELF".utf8) else { return "it is no ELF executable" }
        let name = String(path.split(separator: "/").last ?? "")
        if InterpreterNames.isInterpreter(name) {
            return "\(name) runs programs of others: it is an interpreter, a shell, or a debugger"
        }
        return nil
    }

    /// Whether a user's own program answers reads of the file (FUSE), so that it may read otherwise than it runs.
    var isServedByProgram: Bool { keychain_is_served_by_program(file.number) != 0 }

    private func pread(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let size = Glibc.pread(file.number, &bytes, count, 0)
        return size >= 0 ? Array(bytes[..<size]) : nil
    }
}
