// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc

/// A folder in which tests run the programs of other people, such as `openssl`, on files.
package final class Workshop: Sendable {
    private let folder: TemporaryFolder

    /// Why a script failed.
    package struct Failure: Error, CustomStringConvertible {
        /// The number that waitpid(2) gives.
        package var status: Int32
        /// What it wrote to standard error.
        package var description: String
    }

    /// An empty folder.
    package init() throws { folder = try TemporaryFolder(prefix: "workshop") }

    /// Runs a script in the folder, until it ends; the first command that fails ends it.
    ///
    /// - Parameters:
    ///   - script: in the language of the shell.
    ///   - arguments: what it finds in `$1` and so on.
    /// - Throws: ``Failure`` when it fails.
    package func run(_ script: String, _ arguments: String...) throws {
        let log = path(".log")
        let prelude = "set -e; cd \"$0\"\n"
        let words = ["/bin/sh", "-c", prelude + script, folder.path] + arguments
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of a test block signals, and a child would inherit that.
        var nothing = sigset_t()
        sigemptyset(&nothing)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        storm_close_other_files(&actions)
        var vector: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        vector.append(nil)
        defer { for word in vector { free(word) } }
        var identifier: pid_t = 0
        guard posix_spawn(&identifier, "/bin/sh", &actions, &attributes, vector, environ) == 0 else {
            throw Failure(status: -1, description: "the shell does not start")
        }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw Failure(status: -1, description: "the shell is lost") }
        }
        guard status == 0 else {
            throw Failure(status: status, description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
        }
    }

    /// Runs Python, the system's own, with the packages that it has.
    package func python(_ program: String) throws {
        try run("/usr/bin/python3 -c \"$1\"", program)
    }

    /// The bytes of a file.
    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Writes a file.
    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    private func path(_ name: String) -> String { folder.path(of: name) }
}
