// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainAuthenticators

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
        let process = ProcessAuthenticator(
            environment: { $0 == "SWIFT_KEYCHAIN_AUTHENTICATOR" ? "pinentry:\(pinentry.path)" : nil },
            hasManifest: { false }
        )
        #expect(process.canAskForSecrets && process.biometry == .none)
        #expect(process.ask(AuthenticationPrompt(.passcode, reason: "")) == .text("hunter2"))
    }

    @Test("a program that may have a manifest asks by no program that its environment names, but by the system's")
    func programWithManifest() throws {
        let pinentry = try FakePinentry(pin: "echo 'D hunter2'; echo OK")
        func chosen(_ choice: String, _ hasManifest: Bool) -> (any Authenticator)? {
            ProcessAuthenticator(
                environment: { $0 == "SWIFT_KEYCHAIN_AUTHENTICATOR" ? choice : nil },
                hasManifest: { hasManifest }
            ).chosen
        }
        let named = "pinentry:\(pinentry.path)"
        #expect((chosen(named, false) as? PinentryAuthenticator)?.path == pinentry.path)
        let other = try #require(chosen(named, true) as? PinentryAuthenticator)
        #expect(other.path == PinentryAuthenticator().path)
        #expect(chosen("none", true) is NoAuthenticator && chosen("terminal", true) is TerminalAuthenticator)
    }

    @Test("a program may have a manifest if one is beside it, names it, or may be named by its digest")
    func manifests() throws {
        let folder = try TemporaryFolder()
        let (program, root, signed) = (folder.path(of: "tool"), folder.path(of: "root"), folder.path(of: "signed"))
        var manifests = ProgramManifests(rootOwned: root, signed: [folder.path(of: "nowhere"), signed])
        #expect(!manifests.mayName(program), "no folder is there")
        for folder in [root, signed] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        try write(#"{"path": "\#(program)2"}"#, "\(root)/a.json")
        try write("{", "\(root)/b.json")
        try write(#"{"path": "\#(program)"}"#, "\(root)/c.text")
        try write("", "\(signed)/README")
        #expect(!manifests.mayName(program))
        #expect(manifests.mayName("\(program)2"))
        try write("", program + Client.manifestSuffix)
        #expect(manifests.mayName(program))
        #expect(!manifests.mayName("\(program)3"))
        try write("", "\(signed)/00\(Client.manifestSuffix)")
        #expect(manifests.mayName("\(program)3"))
        manifests.signed = []
        #expect(!manifests.mayName("\(program)3"))
        #expect(!manifests.mayName(), "the program of the tests has none")
    }

    @Test("without an authenticator no prompt is possible")
    func nobody() {
        let process = ProcessAuthenticator(environment: { _ in "none" })
        #expect(!process.canAskForSecrets)
        #expect(process.ask(AuthenticationPrompt(.passcode, reason: "")) == .unavailable)
    }
}
