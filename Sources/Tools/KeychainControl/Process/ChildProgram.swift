// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainEngine

/// Runs a program to its end, as a shell would: its standard streams are ours, and so is its exit status.
enum ChildProgram {
    /// The exit status of a shell, for a program that is not there or cannot be run.
    private static func status(of failure: Int32) -> Int32? {
        switch failure {
        case ENOENT: 127
        case EACCES, ENOEXEC, EISDIR, ENOTDIR: 126
        default: nil
        }
    }

    /// Signals that are passed on: a signal to this program is meant for the other one.
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Runs it, with an unlock for it to take up, or without.
    ///
    /// - Returns: Its exit status; 128 and the signal when one ended it.
    /// - Throws: ``Refusal`` when no process could be made.
    static func run(_ words: [String], _ offer: UnlockOffer?) throws(Refusal) -> Int32 {
        // Who ignores the ends of children never hears of them.
        signal(SIGCHLD, SIG_DFL)
        // They wait from now on, so that none is lost between here and there.
        var waiting = sigset_t()
        sigemptyset(&waiting)
        for signal in signals + [SIGCHLD] { sigaddset(&waiting, signal) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &waiting, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var identifier: pid_t = 0
        switch spawn(words, offer, signalMask: before, &identifier) {
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
        _ offer: UnlockOffer?,
        signalMask: sigset_t,
        _ identifier: inout pid_t
    ) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = signalMask
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Onto itself: that is how a descriptor stays open in the child only (POSIX.1-2024).
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

    /// The environment as it is, but for an unlock: an older one does not pass through.
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
            if waitpid(identifier, &status, WNOHANG) == identifier { return exitStatus(status) }
            var information = siginfo_t()
            var aWhile = timespec(tv_sec: 1, tv_nsec: 0)
            let signal = sigtimedwait(&signals, &information, &aWhile)
            guard signal > 0, signal != SIGCHLD else { continue }
            // What the terminal sends, it sends to both.
            if information.si_code <= 0 { kill(identifier, signal) }
        }
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
