// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc

/// The built `security`, run as a process of its own session, which has no controlling terminal unless it is given one.
package struct ToolProcess {
    /// What a process left behind.
    package struct Result: Equatable {
        package var status: Int32
        package var output: [UInt8]
        package var errors: [UInt8]

        package var outputText: String { String(decoding: output, as: UTF8.self) }
        /// What a process left behind.
        package init(status: Int32, output: [UInt8], errors: [UInt8]) {
            self.status = status
            self.output = output
            self.errors = errors
        }

        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    package enum Failure: Error {
        case noTool(String)
        case spawn(Int32)
        case unfinished([String])
    }

    /// A process that runs.
    package struct Running {
        package let identifier: pid_t

        /// The exit status; a negative number for a signal.
        package func wait(seconds: Double = 600) throws -> Int32 {
            let limit = Date(timeIntervalSinceNow: seconds)
            var status: Int32 = 0
            while waitpid(identifier, &status, WNOHANG) == 0 {
                guard Date() < limit else {
                    kill(identifier, SIGKILL)
                    waitpid(identifier, &status, 0)
                    throw Failure.unfinished(["\(identifier)"])
                }
                usleep(500)
            }
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
    }

    /// The program lies beside the bundle of the tests, where the package manager builds both.
    package static func path() throws -> String {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let path = program.deletingLastPathComponent().appendingPathComponent("security").path
        guard access(path, X_OK) == 0 else { throw Failure.noTool(path) }
        return path
    }

    /// What the three standard descriptors are; a path, or `nil` for a closed one.
    package struct Streams {
        package var input: String? = "/dev/null"
        package var output: String?
        package var errors: String?

        /// Streams; no input unless it is given.
        package init(input: String? = "/dev/null", output: String?, errors: String?) {
            self.input = input
            self.output = output
            self.errors = errors
        }
    }

    /// Starts the program in a folder.
    ///
    /// With a shell in between, because posix_spawn(3) cannot change the folder; bytes pass it unchanged.
    package static func start(
        _ arguments: [[UInt8]],
        in folder: String,
        environment: [String: String],
        _ streams: Streams,
        blocksSignals: Bool = false
    ) throws -> Running {
        var redirections = ""
        if streams.input == nil { redirections += " 0<&-" }
        if streams.output == nil { redirections += " 1>&-" }
        if streams.errors == nil { redirections += " 2>&-" }
        let script = "cd \"$1\" && shift && exec \"$@\"" + redirections
        let words = ["/bin/sh", "-c", script, "sh", folder, try path()].map { Array($0.utf8) } + arguments
        let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of a test block signals, and a child would inherit that.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        if blocksSignals { sigfillset(&blocked) }
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // The first is POSIX_SPAWN_SETSID, which Swift does not see.
        posix_spawnattr_setflags(&attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, streams.input ?? "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, streams.output ?? "/dev/null", flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, streams.errors ?? "/dev/null", flags, 0o600)
        storm_close_other_files(&actions)
        var identifier: pid_t = 0
        let status = withCStrings(words) { words in
            withCStrings(variables) { posix_spawn(&identifier, "/bin/sh", &actions, &attributes, words, $0) }
        }
        guard status == 0 else { throw Failure.spawn(status) }
        return Running(identifier: identifier)
    }

    private static func withCStrings<Result>(
        _ strings: [[UInt8]],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { string in
            (string + [0]).withUnsafeBufferPointer { bytes in
                bytes.baseAddress.flatMap { start in
                    start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { strdup($0) }
                }
            }
        }
        copies.append(nil)
        defer { for copy in copies { free(copy) } }
        return body(&copies)
    }
}
