// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

/// A file that a command writes, perhaps with secrets; it becomes the caller's, and only they may read it.
///
/// It is written beside what has its name, and replaces that once it is complete: whoever has the old file open, or may
/// read it, gets nothing of the new one, and a disk without room leaves the old one. What is meant to be written to
/// directly is: a descriptor of this process (`/dev/stdout`, `/dev/fd/N`), `/dev/null`, and a pipe of the caller's.
final class OutputFile {
    let output: Output
    private let draft: FileDraft?
    private var isOpen = true

    /// Makes the file, or opens what is written to directly.
    ///
    /// - Throws: ``CommandFailure`` with 1, also for a symbolic link, for what belongs to another user, and for what is
    ///   neither a file nor written to directly.
    init(_ path: Word) throws(CommandFailure) {
        do throws(Refusal) {
            if let number = Self.standardDescriptor(path) {
                draft = nil
                output = Output(descriptor: try Self.opened(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)))
            } else if try Self.isWrittenDirectly(path) {
                draft = nil
                output = Output(descriptor: try Self.stream(path))
            } else {
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

    /// Gives the file its name, or closes the stream; what could not be written by now is an error.
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

    /// The descriptor of this process that a path stands for.
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

    /// Whether what has the name is no file that is replaced.
    private static func isWrittenDirectly(_ path: Word) throws(Refusal) -> Bool {
        var status = stat()
        guard path.withCString({ lstat($0, &status) }) == 0 else {
            // A name that is free.
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

    /// Whether it is the device that takes everything: number 3 of 1 (null(4)).
    private static func isNull(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103
    }

    /// Opens what is written to directly, unless something else has taken its place; waits for the reader of a pipe.
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
