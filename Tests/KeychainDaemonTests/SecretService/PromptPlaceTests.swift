// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainServer
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// Where the user is asked for a program of the bus.
@Suite(.timeLimit(.minutes(5)))
final class PromptPlaceTests {
    private let folder: TemporaryFolder
    private let pty: Pty
    private let logged: String
    private let descriptor: Int32

    init() throws {
        folder = try TemporaryFolder(prefix: "place")
        pty = try Pty()
        logged = folder.path(of: "log")
        descriptor = open(logged, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
    }

    deinit { close(descriptor) }

    private func place(_ environment: [String: String] = [:], pinentry: String? = nil) -> PromptPlace {
        PromptPlace(
            pinentry: pinentry,
            environment: { environment[$0] },
            log: DaemonLog(descriptor: descriptor, hasLevels: false)
        )
    }

    private func log() throws -> String { try String(contentsOfFile: logged, encoding: .utf8) }

    private func process(_ program: TerminalProgram) -> ProcessInstance {
        ProcessInstance(identifier: program.identifier, startTime: program.startTime)
    }

    private static let ssh = ["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"]
    private static let display = ["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"]
    private static let inBackground = "set -m; (sleep 600; :) & echo \"process $!.\"; wait"

    @Test(
        "a program in the foreground of a terminal is asked there, in an SSH session and at a display",
        arguments: [false, true]
    )
    func terminal(isRemote: Bool) throws {
        let program = try TerminalProgram(on: pty, isRemote ? Self.ssh : [:])
        let choice = place(Self.display).choice(for: process(program))
        #expect(choice.authenticator is TerminalAuthenticator && choice.authenticator.canAskForSecrets)
        #expect(choice.terminal != nil)
        #expect(try log() == "")
    }

    @Test("in an SSH session nobody is asked at a display that nobody sees, and the log says what to do")
    func remote() throws {
        let program = try TerminalProgram(Self.inBackground, on: pty, Self.ssh)
        let choice = place(Self.display).choice(for: process(program))
        #expect(choice.authenticator is NoAuthenticator)
        let line =
            "keychaind: nobody was asked for process \(program.identifier), which is in an SSH session and not in the "
            + "foreground of a terminal; unlock the keychain with 'keychainctl device unlock'\n"
        #expect(try log() == line)
    }

    @Test("elsewhere a program without a terminal is asked at the display of the daemon, if it has one")
    func local() throws {
        let program = try TerminalProgram(Self.inBackground, on: pty)
        let choice = place(Self.display).choice(for: process(program))
        // A system without a pinentry has nothing to ask with.
        let isThere = PinentryAuthenticator().canAskForSecrets
        #expect((choice.authenticator is PinentryAuthenticator) == isThere)
        #expect(try log().contains("there is no pinentry") == !isThere)
        #expect(place().choice(for: process(program)).authenticator is NoAuthenticator)
        #expect(try log().contains("there is neither a terminal nor a display"))
    }

    @Test("the environment of the daemon chooses as for other programs")
    func environment() throws {
        let program = try TerminalProgram(on: pty)
        func choice(_ word: String) -> any Authenticator {
            place(["SWIFT_KEYCHAIN_AUTHENTICATOR": word]).choice(for: process(program)).authenticator
        }
        #expect(choice("none") is NoAuthenticator && choice("nonsense") is NoAuthenticator)
        #expect(choice("terminal") is TerminalAuthenticator)
        #expect(choice("pinentry") is PinentryAuthenticator)
        #expect((choice("pinentry:/p") as? PinentryAuthenticator)?.path == "/p")
        #expect(
            (place(pinentry: "/q").choice(for: process(program)).authenticator as? PinentryAuthenticator)?.path == "/q"
        )
        #expect(try log() == "")
    }

    @Test(
        "a pinentry that was chosen is told the terminal, and of the display only outside of an SSH session",
        arguments: [false, true]
    )
    func pinentry(isRemote: Bool) throws {
        let pinentry = try folder.makeProgram(
            "pinentry",
            """
            echo "$DISPLAY $WAYLAND_DISPLAY $TERM" >"${0%/*}/told"
            echo OK
            while IFS= read -r line; do
              printf '%s\\n' "$line" >>"${0%/*}/told"
              case $line in GETPIN) echo 'D x'; echo OK;; *) echo OK;; esac
            done
            """
        )
        let program = try TerminalProgram(on: pty, (isRemote ? Self.ssh : [:]).merging(["TERM": "t"]) { $1 })
        let choice = place(Self.display, pinentry: pinentry).choice(for: process(program))
        #expect(choice.terminal != nil)
        let reply = choice.authenticator.ask(AuthenticationPrompt(.passcode, reason: ""))
        #expect(reply == .secret(SecretBytes(Array("x".utf8))))
        let told = try String(contentsOfFile: folder.path(of: "told"), encoding: .utf8).split(separator: "\n")
        #expect(told.first == (isRemote ? "  t" : ":0 wayland-0 t"))
        #expect(told.contains("OPTION ttyname=\(pty.path)") && told.contains("OPTION ttytype=t"))
    }
}
