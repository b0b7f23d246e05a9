// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// A private folder in the run-time folder of the user, for files with secrets that go with a command.
///
/// Another process keeps it, and removes it once this one, which becomes the command, has ended in any way. If both are
/// killed, the next one that keeps such a folder removes it.
enum KeptFolder {
    /// Makes a folder that is there for as long as this process.
    ///
    /// - Returns: Its path.
    /// - Throws: ``Refusal`` if the user has no run-time folder in memory.
    static func make(_ surroundings: Surroundings) throws(Refusal) -> String {
        let parent = try runtimeFolder(surroundings)
        let process = try ownDescriptor()
        defer { close(process) }
        // Inherited by the process that keeps the folder.
        guard fcntl(process, F_SETFD, 0) == 0 else { throw failure(errno) }
        let name = KeepFolderCommand.configuration.commandName ?? ""
        let program: CapturedProgram
        do throws(FileError) {
            program = try CapturedProgram(
                ["/proc/self/exe", name, parent, "--process", "\(process)"],
                input: .null,
                errors: .null
            )
        } catch { throw Refusal("no folder can be made for the files: \(error)") }
        let message = String(decoding: program.output, as: UTF8.self)
        guard program.status == 0, message.isAbsolutePath else {
            throw Refusal("no folder can be made for the files\(message.isEmpty ? "" : ": \(message)")")
        }
        return message
    }

    /// The run-time folder, which is nobody else's, and in memory.
    private static func runtimeFolder(_ surroundings: Surroundings) throws(Refusal) -> String {
        guard let path = surroundings.environment("XDG_RUNTIME_DIR"), path.isAbsolutePath else {
            throw Refusal(
                "there is no run-time folder for --template-file: XDG_RUNTIME_DIR is not set; --template needs none"
            )
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw Refusal("XDG_RUNTIME_DIR is no folder of this user alone (mode 0700); --template needs none") }
        guard SecretFolder.isInMemory(path) else {
            throw Refusal("XDG_RUNTIME_DIR is not in memory (tmpfs); --template needs no folder")
        }
        return path
    }

    /// A descriptor of this process, which also after execve(2) tells its end (pidfd_open(2)).
    private static func ownDescriptor() throws(Refusal) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw failure(errno)
        }
        var isExact: Int32 = 0
        // This process is the peer as well.
        let descriptor = keychain_peer_open(ends[0], getpid(), &isExact)
        let number = errno
        for end in ends { close(end) }
        guard descriptor >= 0 else { throw failure(number) }
        return descriptor
    }

    private static func failure(_ number: Int32) -> Refusal {
        Refusal("the end of the command cannot be watched: \(String(cString: strerror(number)))")
    }
}
