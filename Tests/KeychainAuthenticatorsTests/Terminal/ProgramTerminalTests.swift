// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

/// Questions at the terminal of another program, as a daemon asks them.
@Suite(.timeLimit(.minutes(5)))
struct ProgramTerminalTests {
    private let pty: Pty

    init() throws { pty = try Pty() }

    private func authenticator(_ program: TerminalProgram) -> TerminalAuthenticator {
        TerminalAuthenticator(ofProcess: program.identifier, startedAt: program.startTime)
    }

    @Test("a program in the foreground is answered for at its terminal, which is as before afterwards")
    func foreground() throws {
        let program = try TerminalProgram(on: pty)
        let settings = pty.settings
        let authenticator = authenticator(program)
        #expect(authenticator.canAskForSecrets)
        let asking = Asking(authenticator, AuthenticationPrompt(.passcode, reason: "why"))
        #expect(try pty.readOutput(upTo: "Passcode: ") == "Reason: why\r\nPasscode: ")
        #expect(!pty.hasEcho && !pty.editsLines)
        try pty.type("hunter2\n")
        #expect(try asking.reply() == .text("hunter2"))
        #expect(pty.settings == settings)
    }

    @Test("several programs at several terminals are asked at the same time")
    func several() throws {
        let other = try Pty()
        let programs = (try TerminalProgram(on: pty), try TerminalProgram(on: other))
        let first = Asking(authenticator(programs.0), AuthenticationPrompt(.passcode, reason: ""))
        let second = Asking(authenticator(programs.1), AuthenticationPrompt(.passcode, reason: ""))
        try pty.readOutput(upTo: "Passcode: ")
        try other.readOutput(upTo: "Passcode: ")
        try other.type("two\n")
        #expect(try second.reply() == .text("two"))
        try pty.type("one\n")
        #expect(try first.reply() == .text("one"))
    }

    @Test("the keys that interrupt cancel the question, and not the program")
    func interrupt() throws {
        let program = try TerminalProgram(on: pty)
        let asking = Asking(authenticator(program), AuthenticationPrompt(.passcode, reason: ""))
        try pty.readOutput(upTo: "Passcode: ")
        try pty.type("a\u{1A}\u{1C}\u{3}")
        #expect(try asking.reply() == .cancelled)
        #expect(kill(program.identifier, 0) == 0)
    }

    @Test("a program in the background takes no input from the one in the foreground")
    func background() throws {
        let program = try TerminalProgram("set -m; (sleep 600; :) & echo \"process $!.\"; wait", on: pty)
        #expect(!authenticator(program).canAskForSecrets)
        #expect(TerminalAuthenticator.path(ofProcess: program.identifier, startedAt: program.startTime) == nil)
    }

    @Test("a question ends once its program is stopped, and its shell has the terminal")
    func stopped() throws {
        let program = try TerminalProgram("set -m; (echo \"process $BASHPID.\"; exec sleep 600); read line", on: pty)
        let asking = Asking(authenticator(program), AuthenticationPrompt(.passcode, reason: ""))
        try pty.readOutput(upTo: "Passcode: ")
        program.signal(SIGSTOP)
        #expect(try asking.reply() == .unavailable)
        #expect(!authenticator(program).canAskForSecrets)
        #expect(pty.hasEcho)
    }

    @Test("a question ends with its program, and with its prompt", arguments: [false, true])
    func end(isCancelled: Bool) throws {
        let program = try TerminalProgram(on: pty)
        let settings = pty.settings
        let prompt = AuthenticationPrompt(.passcode, reason: "")
        let asking = Asking(authenticator(program), prompt)
        try pty.readOutput(upTo: "Passcode: ")
        if isCancelled { prompt.cancellation.cancel() } else { program.signal(SIGKILL) }
        #expect(try asking.reply() == (isCancelled ? .ended : .unavailable))
        if isCancelled { #expect(pty.settings == settings) }
    }

    @Test("settings that somebody has changed meanwhile stay")
    func changedSettings() throws {
        let program = try TerminalProgram(on: pty)
        let prompt = AuthenticationPrompt(.passcode, reason: "")
        let asking = Asking(authenticator(program), prompt)
        try pty.readOutput(upTo: "Passcode: ")
        let shell = KeychainTestSupport.Shell(environment: ["PATH": "/usr/bin:/bin"])
        #expect(try shell.run("/usr/bin/stty", ["-F", pty.path, "raw"]).status == 0)
        let settings = pty.settings
        prompt.cancellation.cancel()
        #expect(try asking.reply() == .ended)
        #expect(pty.settings == settings)
    }

    @Test("there is no terminal for a process without one, another process of that number, and one that has ended")
    func none() throws {
        let program = try TerminalProgram(on: pty)
        let number = program.identifier
        #expect(!TerminalAuthenticator(ofProcess: number, startedAt: program.startTime + 1).canAskForSecrets)
        #expect(!TerminalAuthenticator(ofProcess: .max, startedAt: 0).canAskForSecrets)
        let script = "setsid bash -c 'echo \"process $$.\"; exec sleep 600' & wait"
        let without = try TerminalProgram(script, on: Pty())
        #expect(!authenticator(without).canAskForSecrets)
    }
}
