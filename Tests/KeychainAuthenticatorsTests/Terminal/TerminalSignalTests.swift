// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

/// Signals during a question, in processes of their own.
struct TerminalSignalTests {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// Makes the signals of this process what they are by default: it may have begun with others.
    private static func prepare() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        for number in signals { signal(number, SIG_DFL) }
    }

    @Test("a signal that ends the process gives the terminal its settings back", arguments: [SIGINT, SIGTERM, SIGHUP])
    func deadlySignal(_ signal: Int32) async throws {
        let pty = try Pty()
        let settings = pty.settings
        await #expect(processExitsWith: .signal(signal)) { [path = pty.path as String, signal = signal as Int32] in
            Self.prepare()
            let asking = Asking(TerminalAuthenticator(path: path), AuthenticationPrompt(.passcode, reason: ""))
            try waitForHiding(path)
            kill(getpid(), signal)
            _ = try asking.reply()
        }
        // Whether the prompt was shown is not said: the echo goes off before it, and the signal comes at once.
        #expect(pty.settings == settings)
    }

    @Test("so does a process that ends by itself")
    func exiting() async throws {
        let pty = try Pty()
        let settings = pty.settings
        await #expect(processExitsWith: .exitCode(7)) { [path = pty.path as String] in
            Self.prepare()
            _ = Asking(TerminalAuthenticator(path: path), AuthenticationPrompt(.passcode, reason: ""))
            try waitForHiding(path)
            exit(7)
        }
        #expect(pty.settings == settings)
    }

    @Test("the program's own handler is called with the echo on; if it returns, the question is repeated")
    func programHandler() async {
        await #expect(processExitsWith: .success) {
            Self.prepare()
            let pty = try Pty()
            Seen.terminal = open(pty.path, O_RDWR | O_NOCTTY)
            signal(SIGTERM) { _ in
                if hasEcho(Seen.terminal) { Seen.callsWithEcho += 1 } else { Seen.callsWithoutEcho += 1 }
            }
            let asking = Asking(TerminalAuthenticator(path: pty.path), AuthenticationPrompt(.passcode, reason: ""))
            try pty.readOutput(upTo: "Passcode: ")
            kill(getpid(), SIGTERM)
            try pty.readOutput(upTo: "Passcode: ")
            #expect(!pty.hasEcho)
            try pty.type("hunter2\n")
            #expect(try asking.reply() == .text("hunter2"))
            #expect(Seen.callsWithEcho == 1)
            #expect(pty.hasEcho)
            // The handler is the program's again. A signal of a thread's own is there when this returns.
            pthread_kill(pthread_self(), SIGTERM)
            #expect(Seen.callsWithEcho == 2)
            #expect(Seen.callsWithoutEcho == 0)
        }
    }

    @Test("a signal that is ignored does not disturb")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            Self.prepare()
            signal(SIGHUP, SIG_IGN)
            let pty = try Pty()
            let asking = Asking(TerminalAuthenticator(path: pty.path), AuthenticationPrompt(.passcode, reason: ""))
            try pty.readOutput(upTo: "Passcode: ")
            kill(getpid(), SIGHUP)
            try pty.type("hunter2\n")
            #expect(try asking.reply() == .text("hunter2"))
            #expect(try pty.readOutput(upTo: "\n") == "\r\n")
        }
    }

    @Test("after a stop the question is repeated, and the echo is off again")
    func stop() async {
        await #expect(processExitsWith: .success) {
            Self.prepare()
            let pty = try Pty()
            let asking = Asking(TerminalAuthenticator(path: pty.path), AuthenticationPrompt(.passcode, reason: ""))
            try pty.readOutput(upTo: "Passcode: ")
            // Nobody else would have this process go on. Not before it has stopped: that would take the signal back.
            // Where nothing can stop it, because nobody waits for its process group, there is nothing to do.
            let isStopped = "grep -q '^State:[[:space:]]*T' /proc/\(getpid())/status"
            let helper = try Shell.start(
                "while kill -0 \(getpid()); do \(isStopped) && kill -CONT \(getpid()); sleep 0.1; done"
            )
            kill(getpid(), SIGTSTP)
            try pty.readOutput(upTo: "Passcode: ")
            #expect(!pty.hasEcho)
            try pty.type("hunter2\n")
            #expect(try asking.reply() == .text("hunter2"))
            #expect(pty.hasEcho)
            helper.end()
        }
    }

    @Test("a process in the background of its terminal does not prompt, and is not stopped")
    func background() async throws {
        let pty = try Pty()
        await #expect(processExitsWith: .success) { [path = pty.path as String] in
            Self.prepare()
            // Somebody else's session; its first terminal controls it.
            try #require(setsid() >= 0)
            let terminal = open(path, O_RDWR)
            try #require(terminal >= 0)
            let authenticator = TerminalAuthenticator()
            #expect(authenticator.canAskForSecrets)
            let foreground = try Shell.start("read line", ownGroup: true)
            try #require(tcsetpgrp(terminal, foreground.identifier) == 0)
            #expect(!authenticator.canAskForSecrets)
            #expect(authenticator.ask(AuthenticationPrompt(.passcode, reason: "")) == .unavailable)
            #expect(hasEcho(terminal))
            foreground.end()
        }
        #expect(pty.rest.isEmpty)
    }
}

/// What a signal handler saw; used by one process with one test.
private enum Seen {
    nonisolated(unsafe) static var terminal: Int32 = -1
    nonisolated(unsafe) static var callsWithEcho = 0
    nonisolated(unsafe) static var callsWithoutEcho = 0
}

private func hasEcho(_ terminal: Int32) -> Bool {
    var settings = termios()
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
}

private func waitForHiding(_ path: String) throws {
    let terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(terminal >= 0)
    defer { close(terminal) }
    let limit = Date(timeIntervalSinceNow: 600)
    while hasEcho(terminal) {
        try #require(Date() < limit)
        sched_yield()
    }
}
