// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

struct ProcessAuthenticatorTests {
    private enum Chosen {
        case terminal, pinentry, nobody
    }

    private static func chosen(_ environment: [String: String], _ terminal: String) -> Chosen? {
        let process = ProcessAuthenticator(
            environment: { environment[$0] },
            terminal: TerminalAuthenticator(path: terminal)
        )
        switch process.chosen {
        case is TerminalAuthenticator: return .terminal
        case is PinentryAuthenticator: return .pinentry
        case is NoAuthenticator: return .nobody
        default: return nil
        }
    }

    @Test("who is asked, with a terminal and without one")
    func choice() throws {
        let pty = try Pty()
        let name = "SWIFT_KEYCHAIN_AUTHENTICATOR"
        let table: [([String: String], Chosen, Chosen)] = [
            ([:], .terminal, .nobody),
            (["DISPLAY": ":0"], .terminal, .pinentry),
            (["WAYLAND_DISPLAY": "wayland-0"], .terminal, .pinentry),
            ([name: "terminal"], .terminal, .terminal),
            ([name: "terminal", "DISPLAY": ":0"], .terminal, .terminal),
            ([name: "pinentry"], .pinentry, .pinentry),
            ([name: "pinentry:/opt/pinentry"], .pinentry, .pinentry),
            ([name: "pinentry:pinentry-qt", "DISPLAY": ":0"], .nobody, .nobody),
            ([name: "none", "DISPLAY": ":0"], .nobody, .nobody),
            ([name: "Terminal", "DISPLAY": ":0"], .nobody, .nobody),
        ]
        for (environment, withTerminal, without) in table {
            #expect(Self.chosen(environment, pty.path) == withTerminal, "\(environment)")
            #expect(Self.chosen(environment, "/nowhere/tty") == without, "\(environment)")
        }
    }

    @Test("the program that is named is the one that is asked")
    func program() throws {
        let pinentry = try FakePinentry(pin: "echo 'D hunter2'; echo OK")
        let process = ProcessAuthenticator(environment: {
            $0 == "SWIFT_KEYCHAIN_AUTHENTICATOR" ? "pinentry:\(pinentry.path)" : nil
        })
        #expect(process.canAskForSecrets && process.biometry == .none)
        #expect(process.ask(AuthenticationPrompt(.passcode, reason: "")) == .text("hunter2"))
    }

    @Test("without an authenticator no prompt is possible")
    func nobody() {
        let process = ProcessAuthenticator(environment: { _ in "none" })
        #expect(!process.canAskForSecrets)
        #expect(process.ask(AuthenticationPrompt(.passcode, reason: "")) == .unavailable)
    }
}
