// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// Runs a program to completion and captures its standard output.
package struct CapturedProgram {
    /// What a program wrote to its standard output.
    package var output: [UInt8] = []

    /// Its exit status; 128 plus the number of the signal that ended it; -1 where this program ignores its children.
    package var status: Int32 = 0

    /// Where its standard error, or standard input, leads.
    package enum Stream {
        /// To this program's own.
        case inherited
        /// To /dev/null.
        case null
    }

    /// Runs it.
    ///
    /// - Parameters:
    ///   - words: the program, which is searched for in PATH unless it is a path, and its arguments.
    ///   - environment: its variables, as `NAME=VALUE`; `nil` for those of this process.
    ///   - input: its standard input.
    ///   - errors: its standard error.
    ///   - milliseconds: the time limit, after which it is killed; `nil` for none.
    /// - Throws: ``FileError`` if it cannot be started.
    package init(
        _ words: [String],
        environment: [String]? = nil,
        input: Stream = .inherited,
        errors: Stream = .inherited,
        atMost milliseconds: Int32? = nil
    ) throws(FileError) {
        var ends: [Int32] = [-1, -1]
        let refusal = CSupport.pipe(&ends)
        guard refusal == 0 else { throw .system(call: "pipe2", path: words[0], errno: refusal) }
        defer { close(ends[0]) }
        let (child, failure) = Self.start(words, environment, output: ends[1], closing: (input, errors))
        close(ends[1])
        guard failure == 0 else { throw .system(call: "posix_spawnp", path: words[0], errno: failure) }
        let deadline = milliseconds.map { Deadline(milliseconds: $0) }
        let contents = DescriptorContents(of: ends[0], until: deadline)
        output = contents.bytes
        // Which may have closed its output, and go on.
        let isOverdue = deadline.map { !Self.hasEnded(child, $0) } ?? false
        if contents.end != .complete || isOverdue { kill(child, SIGKILL) }
        status = ExitStatus.wait(for: child) ?? -1
    }

    private static func start(
        _ words: [String],
        _ environment: [String]?,
        output: Int32,
        closing streams: (input: Stream, errors: Stream)
    ) -> (child: pid_t, failure: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        for (stream, descriptor) in [(streams.input, STDIN_FILENO), (streams.errors, STDERR_FILENO)]
        where stream == .null {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // Signals that this program blocks or ignores are not its business.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var child: pid_t = 0
        let program = words[0]
        let failure = CStringVector.with(words) { words -> Int32 in
            guard let environment else { return posix_spawnp(&child, program, &actions, &attributes, words, environ) }
            return CStringVector.with(environment) { posix_spawnp(&child, program, &actions, &attributes, words, $0) }
        }
        return (child, failure)
    }

    /// Whether a program ends in time; it is not waited for yet.
    private static func hasEnded(_ child: pid_t, _ deadline: Deadline) -> Bool {
        var pauses = Deadline.Pauses(until: deadline)
        while true {
            var information = siginfo_t()
            let found = waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT | WNOHANG)
            if found != 0 || information.si_signo != 0 { return true }
            guard pauses.wait() else { return false }
        }
    }
}
