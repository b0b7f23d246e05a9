// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal with its echo turned off, for as long as a secret is typed.
///
/// The signals that end or stop a program wait meanwhile, so that none of them can leave the terminal without its echo.
/// This holds in a program of one thread.
final class HiddenTerminal {
    private let descriptor: Int32
    private var settings: termios
    private var otherSignals = sigset_t()
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// How long a signal may have to wait for its effect.
    private static let patience: Int32 = 100

    /// Turns the echo off.
    ///
    /// - Returns: `nil` when the descriptor is no terminal.
    init?(descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        self.settings = settings
        hide()
    }

    deinit { show() }

    /// Waits until there is something to read.
    ///
    /// - Parameter resume: what to do after the program was stopped and goes on.
    func waitForInput(resume: () throws -> Void) rethrows {
        while true {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&state, 1, Self.patience) > 0 { return }
            if hasPendingSignal {
                show()
                // The signal has had its effect now; if the program is still there, it goes on.
                hide()
                try resume()
            }
        }
    }

    private func hide() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in Self.signals { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &otherSignals)
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSANOW, &hidden)
    }

    private func show() {
        tcsetattr(descriptor, TCSANOW, &settings)
        pthread_sigmask(SIG_SETMASK, &otherSignals, nil)
    }

    private var hasPendingSignal: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        // One that the parent process has blocked goes on waiting; it has no effect here.
        return Self.signals.contains { sigismember(&pending, $0) == 1 && sigismember(&otherSignals, $0) == 0 }
    }
}
