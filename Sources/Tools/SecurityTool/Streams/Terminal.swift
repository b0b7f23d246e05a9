// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal with its echo turned off while a secret is typed.
///
/// Signals that end or stop a program are held back meanwhile, so that none of them can leave the terminal without its
/// echo. This requires a single-threaded program.
final class HiddenTerminal {
    private let descriptor: Int32
    private var settings: termios
    private var otherSignals = sigset_t()
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// The maximum delay of a signal, in milliseconds.
    private static let patience: Int32 = 100

    /// Turns the echo off.
    ///
    /// - Returns: `nil` if the descriptor is not a terminal.
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
    /// - Parameter resume: called after the program was stopped and continues.
    func waitForInput(resume: () throws -> Void) rethrows {
        while true {
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&state, 1, Self.patience) > 0 { return }
            if hasPendingSignal {
                show()
                // The signal has been delivered now; if the program still runs, it continues.
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
        // One that the parent process has blocked stays pending; it has no effect here.
        return Self.signals.contains { sigismember(&pending, $0) == 1 && sigismember(&otherSignals, $0) == 0 }
    }
}
