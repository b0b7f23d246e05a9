// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// An open executable: its properties are those of the open file, regardless of what its path refers to later.
struct Executable: ~Copyable {
    /// Its path, without symbolic links.
    let path: String

    /// The identity of the file.
    let mark: FileMark

    private let file: Descriptor

    /// Creates the executable of a process.
    ///
    /// - Parameters:
    ///   - file: the executable, opened.
    ///   - path: its path according to the kernel.
    /// - Throws: ``IdentityError`` if it is not, or no longer, at its path, or if that cannot be determined.
    init(_ file: consuming Descriptor, path: String) throws(IdentityError) {
        guard let status = file.status else { throw .system("fstat", on: path, failure: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw IdentityError("\(path) is not a file") }
        guard !path.hasPrefix("/memfd:") else { throw IdentityError("it runs from memory and has no file") }
        guard status.st_nlink > 0 else {
            throw IdentityError("its executable was removed or replaced after it was started; restart the program")
        }
        guard try Self.isFile(status, at: path) else {
            throw IdentityError("its executable is no longer the file at \(path); restart the program")
        }
        self.path = path
        self.file = file
        mark = FileMark(status)
    }

    /// The executable at a path, as a process started from it would have it.
    init(path: String) throws(IdentityError) {
        guard let resolved = realpath(path, nil) else { throw .system("realpath", on: path, failure: errno) }
        defer { free(resolved) }
        guard let real = String(validatingCString: resolved) else {
            throw IdentityError("the path that \(path) resolves to is not UTF-8")
        }
        guard let file = Descriptor(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            throw .system("open", on: real, failure: errno)
        }
        try self.init(file, path: real)
    }

    /// Whether a file is the one at a path.
    ///
    /// - Throws: ``IdentityError`` if that is inaccessible: the system service cannot enter every folder of a user.
    private static func isFile(_ status: stat, at path: String) throws(IdentityError) -> Bool {
        guard path.isAbsolutePath else { return false }
        var named = stat()
        if lstat(path, &named) == 0 { return named.st_dev == status.st_dev && named.st_ino == status.st_ino }
        guard errno == EACCES else { return false }
        throw unreadable(path)
    }

    /// Why an executable that runs is out of reach of a daemon of another user.
    static func unreadable(_ path: String) -> IdentityError {
        let reason = OtherUsers.objection(toReading: path) ?? SystemText.of(EACCES)
        return IdentityError(
            "the keychain daemon cannot read \(path): \(reason); install it where other users can read it"
        )
    }

    /// Its SHA-256, and its mark when it was hashed.
    func digest(_ hashes: ExecutableHashes) throws(IdentityError) -> (SHA256Value, FileMark) {
        try hashes.digest(of: file.number, path)
    }

    /// Why it cannot have a manifest, because it executes its input; `nil` if it can.
    func objection() throws(IdentityError) -> String? {
        guard let beginning = pread(at: 0, count: 4) else { throw .system("reading", on: path, failure: errno) }
        if beginning.starts(with: "#!".utf8) { return "it is a script, which its interpreter runs" }
        guard beginning == [0x7F] + Array("ELF".utf8) else { return "it is not an ELF executable" }
        let name = path.pathNames.last ?? ""
        if InterpreterNames.isInterpreter(name) {
            return "\(name) executes other programs: it is an interpreter, a shell, or a debugger"
        }
        guard let file = program, !file.code.isEmpty else { return "it is not a complete ELF executable" }
        if let library = file.libraries.first(where: InterpreterNames.isInterpreterLibrary) {
            return "it is linked to \(library), an interpreter, and so can execute scripts"
        }
        return nil
    }

    /// The parts of the file that hold its code; none if it is not an ELF executable.
    var code: [Range<UInt64>] { program?.code ?? [] }

    private var program: ELFFile? { ELFFile { pread(at: $0, count: $1) } }

    /// Whether the file is on a FUSE file system, which may execute other code than it returns for reads.
    var isServedByProgram: Bool { keychain_is_served_by_program(file.number) != 0 }

    /// Why others than root can change it; `nil` when they cannot.
    func objection(by trust: FileTrust) -> String? { trust.objection(to: file.number) }

    /// Why users other than root can choose a library that the loader finds for it; `nil` if they cannot.
    ///
    /// - Returns: The rest of a sentence about the program, with what to do.
    func libraryObjection(by trust: FileTrust) -> String? {
        guard let reason = program.flatMap({ LibrarySearch.objection(to: $0, at: path, trust) }) else { return nil }
        return reason + ". " + Self.libraryRemedy
    }

    private static let libraryRemedy =
        "Build it without ('swift build --static-swift-stdlib --disable-local-rpath', 'patchelf --remove-rpath'), install "
        + "it where only root can change these folders, or have its manifest allow them ('keychainctl sign --preload')"

    private func pread(at offset: UInt64, count: Int) -> [UInt8]? { file.contents(at: offset, count: count) }
}
