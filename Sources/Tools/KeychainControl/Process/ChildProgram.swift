// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost

/// Runs a program to completion as a shell would: it shares our standard streams, and we return its exit status.
enum ChildProgram {
    /// The exit status of a shell, and of env(1), for a program that does not exist or cannot be run; `nil` if there is
    /// no process for it.
    private static func status(of failure: Int32) -> Int32? {
        switch failure {
        case ENOENT: 127
        case EAGAIN, ENOMEM, EMFILE, ENFILE: nil
        default: 126
        }
    }

    /// Signals that are forwarded: a signal to this program is intended for the child.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Becomes the program, with further variables in its environment, and with an unlock that this program got.
    ///
    /// - Returns: The exit status of a shell if it cannot be run.
    /// - Throws: ``Refusal`` for another failure.
    static func replaceProcess(
        by words: [String],
        variables: [(name: String, value: SecretBytes)]
    ) throws(Refusal) -> Int32 {
        FileSizeSignal.restore()
        let arguments = words.map { strdup($0) }
        let environment = environment(adding: variables, passesUnlock: true)
        // Reached only if there is no such program.
        defer {
            environment.wipe()
            for copy in arguments { free(copy) }
        }
        guard let program = arguments.first ?? nil else { return 127 }
        return try status(of: keychain_execute(program, arguments + [nil], environment.all + [nil]), words)
    }

    /// Runs it, with or without an unlock that it takes over.
    ///
    /// - Parameters:
    ///   - words: the program, which is searched for in PATH, and its arguments.
    ///   - offer: the unlock.
    ///   - variables: further variables of its environment.
    ///   - input: its standard input; else ours.
    ///   - outputs: its standard output and standard error, which are closed here; else ours.
    ///   - passesUnlock: whether it gets an unlock that this program got.
    /// - Returns: Its exit status; 128 plus the signal number if a signal ended it.
    /// - Throws: ``Refusal`` if no process could be created.
    static func run(
        _ words: [String],
        _ offer: UnlockOffer?,
        variables: [(name: String, value: SecretBytes)] = [],
        input: Int32 = STDIN_FILENO,
        outputs: [Int32] = [],
        passesUnlock: Bool = false
    ) throws(Refusal) -> Int32 {
        // A process that ignores SIGCHLD is never notified of its children's exits.
        signal(SIGCHLD, SIG_DFL)
        // Blocked from now on, so that none is lost in between.
        var waiting = sigset_t()
        sigemptyset(&waiting)
        for signal in signals + [SIGCHLD] { sigaddset(&waiting, signal) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &waiting, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var identifier: pid_t = 0
        func spawn(_ words: [String]) -> Int32 {
            self.spawn(
                words,
                offering: offer,
                passesUnlock: passesUnlock,
                variables: variables,
                streams: [input] + outputs,
                signalMask: before,
                identifier: &identifier
            )
        }
        var failure = spawn(words)
        // A script without a first line that names its interpreter, as execvp(3) runs it.
        if failure == ENOEXEC, let script = ProgramPath.file(words[0], in: ProcessEnvironment.value("PATH")) {
            failure = spawn(["/bin/sh", script] + words.dropFirst())
        }
        // Their ends are seen by whoever reads them.
        for output in Set(outputs) { close(output) }
        return failure == 0 ? wait(for: identifier, waiting) : try status(of: failure, words)
    }

    /// The exit status of a shell for a program that cannot be run, which is said.
    private static func status(of failure: Int32, _ words: [String]) throws(Refusal) -> Int32 {
        let why = String(cString: strerror(failure))
        guard let status = status(of: failure) else { throw Refusal("the command cannot be run: \(why)") }
        StandardError.write("keychainctl: \(words[0]): \(why)")
        return status
    }

    private static func spawn(
        _ words: [String],
        offering offer: UnlockOffer?,
        passesUnlock: Bool,
        variables: [(name: String, value: SecretBytes)],
        streams: [Int32],
        signalMask: sigset_t,
        identifier: inout pid_t
    ) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = signalMask
        posix_spawnattr_setsigmask(&attributes, &mask)
        var restored = FileSizeSignal.restored
        posix_spawnattr_setsigdefault(&attributes, &restored)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Duplicated onto itself: that keeps the descriptor open in the child only (POSIX.1-2024).
        if let offer { posix_spawn_file_actions_adddup2(&actions, offer.descriptor, offer.descriptor) }
        for (number, stream) in zip(STDIN_FILENO..., streams) {
            posix_spawn_file_actions_adddup2(&actions, stream, number)
        }
        let arguments = words.map { strdup($0) }
        let unlock = offer.map { offer in
            (UnlockOffer.environmentVariable, SecretBytes(Array("\(offer.descriptor)".utf8)))
        }
        let environment = environment(adding: variables + [unlock].compactMap(\.self), passesUnlock: passesUnlock)
        defer {
            environment.wipe()
            for copy in arguments { free(copy) }
        }
        guard let program = arguments.first ?? nil else { return ENOENT }
        return posix_spawnp(
            &identifier,
            program,
            &actions,
            &attributes,
            arguments + [nil],
            environment.all + [nil]
        )
    }

    /// The environment of a program.
    private struct Environment {
        /// All variables.
        var all: [UnsafeMutablePointer<CChar>?] = []
        /// Copies that are not a part of our own environment.
        var added: [UnsafeMutablePointer<CChar>] = []

        /// Frees the copies, and leaves nothing of them in memory.
        func wipe() {
            for copy in added {
                keychain_wipe(copy, strlen(copy))
                free(copy)
            }
        }
    }

    /// Our environment without the variables that are added, and with or without an unlock that this program got.
    private static func environment(
        adding variables: [(name: String, value: SecretBytes)],
        passesUnlock: Bool
    ) -> Environment {
        var environment = Environment()
        let dropped = passesUnlock ? [] : [UnlockOffer.environmentVariable]
        let names = (variables.map(\.name) + dropped).map { "\($0)=" }
        var next = environ
        while let variable = next.pointee {
            if !names.contains(where: { strncmp(variable, $0, strlen($0)) == 0 }) { environment.all.append(variable) }
            next += 1
        }
        // Of two values for one name, the later counts.
        for (index, variable) in variables.enumerated()
        where !variables[(index + 1)...].contains(where: { $0.name == variable.name }) {
            environment.added.append(copy(of: variable))
        }
        environment.all += environment.added
        return environment
    }

    /// `NAME=VALUE`, with a NUL behind it.
    private static func copy(of variable: (name: String, value: SecretBytes)) -> UnsafeMutablePointer<CChar> {
        let name = Array("\(variable.name)=".utf8)
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: name.count + variable.value.count + 1,
            alignment: 1
        )
        copy.copyBytes(from: name)
        variable.value.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: copy[name.count...]).copyMemory(from: $0)
        }
        copy[copy.count - 1] = 0
        return copy.bindMemory(to: CChar.self).baseAddress ?? strdup("")
    }

    private static func wait(for identifier: pid_t, _ signals: sigset_t) -> Int32 {
        var signals = signals
        while true {
            var status: Int32 = 0
            if waitpid(identifier, &status, WNOHANG) == identifier { return ExitStatus.code(of: status) }
            var information = siginfo_t()
            var aWhile = timespec(tv_sec: 1, tv_nsec: 0)
            let signal = sigtimedwait(&signals, &information, &aWhile)
            guard signal > 0, signal != SIGCHLD else { continue }
            // The terminal sends its signals to both processes.
            if information.si_code <= 0 { kill(identifier, signal) }
        }
    }
}
