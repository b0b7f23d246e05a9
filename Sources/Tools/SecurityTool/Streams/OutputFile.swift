// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// A file that a command writes, possibly with secrets; it belongs to the caller, who alone may read it.
///
/// It is written next to the existing file, and replaces that once it is complete: a process that has the old file
/// open, or may read it, gets nothing of the new one, and a full disk leaves the old one unchanged. Written directly
/// are: a descriptor of this process (`/dev/stdout`, `/dev/fd/N`), `/dev/null`, and a pipe that the caller owns.
final class OutputFile {
    let output: Output
    private let draft: FileDraft?
    private var isOpen = true

    /// Creates the file, or opens a destination that is written directly.
    ///
    /// - Throws: ``CommandFailure`` with 1, also for a symbolic link, for a file that belongs to another user, and for
    ///   anything that is neither a file nor written directly.
    init(_ path: Word) throws(CommandFailure) {
        do throws(Refusal) {
            if let number = Self.standardDescriptor(path) {
                draft = nil
                output = Output(descriptor: try Self.opened(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)))
            } else if try Self.isWrittenDirectly(path) {
                draft = nil
                output = Output(descriptor: try Self.stream(path))
            } else {
                try Self.checkIsNoKeychain(path)
                let made = path.withCString { path in
                    Result { () throws(FileError) in try FileDraft(of: path) }
                }
                let draft = try Self.made(made)
                self.draft = draft
                output = Output(descriptor: draft.descriptor)
            }
        } catch {
            throw CommandFailure("security: Error opening outfile \(path): \(error.text)")
        }
    }

    deinit {
        if isOpen, draft == nil { Glibc.close(output.descriptor) }
    }

    /// Renames the file into place, or closes the stream; throws if something could not be written.
    func close() throws(Output.Failure) {
        isOpen = false
        guard let draft else {
            guard Glibc.close(output.descriptor) == 0 else { throw Output.Failure(code: errno) }
            return
        }
        do throws(FileError) { try draft.publish() } catch {
            guard case .system(_, _, let number) = error else { throw Output.Failure(code: EIO) }
            throw Output.Failure(code: number)
        }
    }

    /// Why nothing is written there.
    private struct Refusal: Error {
        let text: String

        init(_ text: String) { self.text = text }

        static func system(_ number: Int32) -> Refusal { Refusal(String(cString: strerror(number))) }
    }

    /// The descriptor of this process that a path refers to.
    private static func standardDescriptor(_ path: Word) -> Int32? {
        switch path.text {
        case "/dev/stdin"?: return STDIN_FILENO
        case "/dev/stdout"?: return STDOUT_FILENO
        case "/dev/stderr"?: return STDERR_FILENO
        case let name?:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { name.hasPrefix($0) }
            return prefix.flatMap { Int32(name.dropFirst($0.count)) }.flatMap { $0 >= 0 ? $0 : nil }
        case nil: return nil
        }
    }

    /// Refuses the keychain's own files, and other keychains: what they hold would be lost.
    private static func checkIsNoKeychain(_ path: Word) throws(Refusal) {
        if let text = path.text, KeychainLocation.isInOwnFolder(text) {
            throw Refusal("it is in the keychain's own folder; name another place")
        }
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) }
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        let first = [UInt8](unsafeUninitializedCapacity: databaseMagic.count) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        if first == databaseMagic { throw Refusal("it is a keychain or another database; name another file") }
    }

    /// The first bytes of a keychain file, as of every database of SQLite (fileformat2.html, 1.3).
    private static let databaseMagic = Array("SQLite format 3\0".utf8)

    /// Whether the path is written directly, not replaced.
    private static func isWrittenDirectly(_ path: Word) throws(Refusal) -> Bool {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else {
            // The name is unused.
            guard errno == ENOENT, !path.isEmpty else { throw .system(errno) }
            return false
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFIFO:
            guard status.st_uid == geteuid() else {
                throw Refusal("it belongs to user \(status.st_uid); name a file of your own")
            }
            return status.st_mode & S_IFMT == S_IFIFO
        case S_IFLNK: throw Refusal("it is a symbolic link; name the file itself")
        case S_IFDIR: throw .system(EISDIR)
        case _ where isNull(status): return true
        default: throw Refusal("it is neither a file nor a pipe")
        }
    }

    /// Whether it is the null device: major 1, minor 3 (null(4)).
    private static func isNull(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103
    }

    /// Opens a destination that is written directly, unless it has been replaced; waits for the reader of a pipe.
    private static func stream(_ path: Word) throws(Refusal) -> Int32 {
        let descriptor = try opened(path.withCString { open($0, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY) })
        var status = stat()
        let isPipe = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        guard isPipe && status.st_uid == geteuid() || isNull(status) else {
            Glibc.close(descriptor)
            throw Refusal("something else has taken its place")
        }
        return descriptor
    }

    private static func opened(_ descriptor: Int32) throws(Refusal) -> Int32 {
        guard descriptor >= 0 else { throw .system(errno) }
        return descriptor
    }

    private static func made(_ result: Result<FileDraft, FileError>) throws(Refusal) -> FileDraft {
        switch result {
        case .success(let draft): return draft
        case .failure(.system(_, _, let number)): throw .system(number)
        case .failure(let error): throw Refusal("\(error)")
        }
    }
}
