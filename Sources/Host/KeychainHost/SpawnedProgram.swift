// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A started program whose standard input and output are a socket to this one; its standard error is /dev/null.
package struct SpawnedProgram: Sendable {
    /// Its process identifier, which may be another process's once it has been reaped.
    package let identifier: pid_t

    /// This program's end of the socket, which the caller closes.
    package let socket: Int32

    /// Starts a program, without any other descriptor, and with no signal blocked or ignored.
    ///
    /// - Parameters:
    ///   - path: the path of the program.
    ///   - words: its arguments, of which the first is its name.
    ///   - environment: its variables, as `NAME=VALUE`.
    /// - Throws: ``FileError`` if it cannot be started.
    package init(_ path: String, _ words: [String], environment: [String]) throws(FileError) {
        var (identifier, socket): (pid_t, Int32) = (0, -1)
        let failure = CStringVector.with(words) { words in
            CStringVector.with(environment) { CSupport.spawn(path, words, $0, &socket, &identifier) }
        }
        guard failure == 0 else { throw .system(call: "posix_spawn", path: path, errno: failure) }
        self.identifier = identifier
        self.socket = socket
    }

    /// Whether the process identifier is still that of our child, which may have exited.
    ///
    /// Where this program ignores or reaps its children elsewhere, the identifier may be another process's.
    package var isOurs: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0
    }

    /// Kills the program, whatever it is doing, and reaps it.
    package func end() {
        guard isOurs else { return }
        kill(identifier, SIGKILL)
        ExitStatus.wait(for: identifier)
    }
}
