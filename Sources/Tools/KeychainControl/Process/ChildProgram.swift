// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainEngine
import KeychainHost

/// Runs a program to completion as a shell would: it shares our standard streams, and we return its exit status.
enum ChildProgram {
    /// A shell's exit status for a program that does not exist or cannot be run.
    private static func status(of failure: Int32) -> Int32? {
        switch failure {
        case ENOENT: 127
        case EACCES, ENOEXEC, EISDIR, ENOTDIR: 126
        default: nil
        }
    }

    /// Signals that are forwarded: a signal to this program is intended for the child.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Runs it, with or without an unlock that it takes over.
    ///
    /// - Returns: Its exit status; 128 plus the signal number if a signal ended it.
    /// - Throws: ``Refusal`` if no process could be created.
    static func run(_ words: [String], _ offer: UnlockOffer?) throws(Refusal) -> Int32 {
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
        switch spawn(words, offering: offer, signalMask: before, identifier: &identifier) {
        case 0: return wait(for: identifier, waiting)
        case let failure:
            let why = String(cString: strerror(failure))
            guard let status = status(of: failure) else { throw Refusal("the command cannot be run: \(why)") }
            StandardError.write("keychainctl: \(words[0]): \(why)")
            return status
        }
    }

    private static func spawn(
        _ words: [String],
        offering offer: UnlockOffer?,
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
        let arguments = words.map { strdup($0) }
        let unlock = offer.map { strdup("\(UnlockOffer.environmentVariable)=\($0.descriptor)") }
        defer { for copy in arguments + [unlock ?? nil] { free(copy) } }
        guard let program = arguments.first ?? nil else { return ENOENT }
        return posix_spawnp(
            &identifier,
            program,
            &actions,
            &attributes,
            arguments + [nil],
            otherVariables + [unlock ?? nil, nil]
        )
    }

    /// The current environment without an unlock variable: an older unlock is not passed on.
    private static var otherVariables: [UnsafeMutablePointer<CChar>?] {
        let name = UnlockOffer.environmentVariable + "="
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            if strncmp(variable, name, strlen(name)) != 0 { variables.append(variable) }
            next += 1
        }
        return variables
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
