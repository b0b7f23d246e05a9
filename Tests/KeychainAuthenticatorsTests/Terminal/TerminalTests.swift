// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

/// Questions at real terminals, one at a time, because a process hides one terminal at a time.
@Suite(.serialized)
struct TerminalTests {
    struct Questions {
        private let pty: Pty
        private let authenticator: TerminalAuthenticator

        init() throws {
            pty = try Pty()
            authenticator = TerminalAuthenticator(path: pty.path)
        }

        @Test("a secret is typed without being shown, and the terminal is as it was")
        func hidden() throws {
            let settings = pty.settings
            #expect(authenticator.canAskForSecrets && authenticator.biometry == .none)
            let asking = Asking(authenticator, AuthenticationPrompt(.passcode, reason: "open the vault"))
            #expect(try pty.readOutput(upTo: "Passcode: ") == "Reason: open the vault\r\nPasscode: ")
            #expect(!pty.hasEcho && !pty.editsLines)
            try pty.type("hunter2\n")
            #expect(try asking.reply() == .text("hunter2"))
            #expect(try pty.readOutput(upTo: "\n") == "\r\n")
            #expect(pty.rest.isEmpty)
            #expect(pty.settings == settings)
        }

        @Test("an empty line is an empty secret; without a reason none is shown")
        func empty() throws {
            let asking = Asking(authenticator, AuthenticationPrompt(.applicationPassword, reason: ""))
            #expect(try pty.readOutput(upTo: ": ") == "Application password: ")
            try pty.type("\n")
            #expect(try asking.reply() == .text(""))
        }

        @Test(
            "the keys that interrupt and end the input cancel",
            arguments: ["\u{3}", "\u{4}", "abc\u{3}", "abc\u{4}"]
        )
        func cancel(keys: String) throws {
            let settings = pty.settings
            let asking = Asking(authenticator, AuthenticationPrompt(.passcode, reason: ""))
            try pty.readOutput(upTo: "Passcode: ")
            try pty.type(keys)
            #expect(try asking.reply() == .cancelled)
            #expect(pty.settings == settings)
        }

        @Test("an earlier failure is reported")
        func problem() throws {
            let prompt = AuthenticationPrompt(.passcode, reason: "why", problem: "The passcode is wrong.")
            let asking = Asking(authenticator, prompt)
            #expect(try pty.readOutput(upTo: "Passcode: ") == "The passcode is wrong.\r\nReason: why\r\nPasscode: ")
            try pty.type("\u{4}")
            #expect(try asking.reply() == .cancelled)
        }

        @Test("a program's words cannot look like the question's")
        func forgery() throws {
            let reason = "x\nPasscode: \u{1B}[2J\r\u{202E}y\u{9B}1A\u{2028}" + String(repeating: "z", count: 600)
            let asking = Asking(authenticator, AuthenticationPrompt(.passcode, reason: reason))
            let shown = try pty.readOutput(upTo: "…\r\nPasscode: ")
            let plain = "Reason: x\u{FFFD}Passcode: \u{FFFD}[2J\u{FFFD}\u{FFFD}y\u{FFFD}1A\u{FFFD}z"
            #expect(shown.hasPrefix(plain))
            try pty.type("\u{4}")
            #expect(try asking.reply() == .cancelled)
        }

        @Test("a new password is typed twice; as long as the two differ, both are asked for again")
        func twice() throws {
            let asking = Asking(authenticator, AuthenticationPrompt(.newApplicationPassword, reason: ""))
            try pty.readOutput(upTo: "New application password: ")
            try pty.type("one\n")
            try pty.readOutput(upTo: "Repeat: ")
            try pty.type("two\n")
            try pty.readOutput(upTo: "They do not match.\r\nNew application password: ")
            try pty.type("three\n")
            try pty.readOutput(upTo: "Repeat: ")
            try pty.type("three\n")
            #expect(try asking.reply() == .text("three"))
        }

        @Test("a secret is longer than a terminal's line")
        func long() throws {
            let asking = Asking(authenticator, AuthenticationPrompt(.passcode, reason: ""))
            try pty.readOutput(upTo: "Passcode: ")
            let secret = String(repeating: "0123456789", count: 2000)
            try pty.type(secret + "\n")
            #expect(try asking.reply() == .text(secret))
        }

        @Test("of what is typed ahead one line is taken")
        func typedAhead() throws {
            let first = Asking(authenticator, AuthenticationPrompt(.passcode, reason: "first"))
            try pty.readOutput(upTo: "Passcode: ")
            try pty.type("one\ntwo\n")
            #expect(try first.reply() == .text("one"))
            let second = Asking(authenticator, AuthenticationPrompt(.passcode, reason: "second"))
            #expect(try second.reply() == .text("two"))
        }
    }

    struct Ends {
        @Test("time that is over ends a question")
        func deadline() throws {
            let pty = try Pty()
            let settings = pty.settings
            let prompt = AuthenticationPrompt(.passcode, reason: "", timeoutSeconds: 0.05)
            #expect(TerminalAuthenticator(path: pty.path).ask(prompt) == .ended)
            #expect(pty.settings == settings)
        }

        @Test("cancellation ends a question that is being asked, and one that is not")
        func cancellation() throws {
            let pty = try Pty()
            let settings = pty.settings
            let prompt = AuthenticationPrompt(.passcode, reason: "")
            let asking = Asking(TerminalAuthenticator(path: pty.path), prompt)
            try pty.readOutput(upTo: "Passcode: ")
            try pty.type("abc")
            prompt.cancellation.cancel()
            #expect(try asking.reply() == .ended)
            #expect(pty.settings == settings)
            #expect(TerminalAuthenticator(path: pty.path).ask(prompt) == .ended)
        }

        @Test("a terminal that goes away is no way to ask")
        func hangUp() throws {
            var pty: Pty? = try Pty()
            let path = try #require(pty?.path)
            let asking = Asking(TerminalAuthenticator(path: path), AuthenticationPrompt(.passcode, reason: ""))
            try pty?.readOutput(upTo: "Passcode: ")
            pty = nil
            #expect(try asking.reply() == .unavailable)
        }

        @Test(
            "what is no terminal is no way to ask",
            arguments: ["/nowhere/tty", "/dev/null", "/", "/proc/self/status"]
        )
        func noTerminal(path: String) {
            let authenticator = TerminalAuthenticator(path: path)
            #expect(!authenticator.canAskForSecrets)
            #expect(authenticator.ask(AuthenticationPrompt(.passcode, reason: "")) == .unavailable)
        }

        @Test("a terminal has no biometry")
        func biometry() throws {
            let authenticator = TerminalAuthenticator(path: try Pty().path)
            #expect(authenticator.ask(AuthenticationPrompt(.biometry, reason: "")) == .unavailable)
        }

        @Test("a second question waits for the first")
        func twoTerminals() throws {
            let first = try Pty()
            let second = try Pty()
            let asking = Asking(TerminalAuthenticator(path: first.path), AuthenticationPrompt(.passcode, reason: ""))
            try first.readOutput(upTo: "Passcode: ")
            let brief = AuthenticationPrompt(.passcode, reason: "", timeoutSeconds: 0.05)
            #expect(TerminalAuthenticator(path: second.path).ask(brief) == .ended)
            let waiting = Asking(TerminalAuthenticator(path: second.path), AuthenticationPrompt(.passcode, reason: ""))
            try first.type("one\n")
            #expect(try asking.reply() == .text("one"))
            try second.readOutput(upTo: "Passcode: ")
            try second.type("two\n")
            #expect(try waiting.reply() == .text("two"))
        }
    }
}
