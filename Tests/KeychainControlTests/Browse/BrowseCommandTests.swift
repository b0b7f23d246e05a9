// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl browse` at a pseudo-terminal.
@Suite(.timeLimit(.minutes(30)))
struct BrowseCommandTests {
    private static let entered = "\u{1B}[?1049h"
    private static let left = "\u{1B}[?1049l"

    private let folder: TemporaryFolder
    private let pty: Pty

    init() throws {
        folder = try TemporaryFolder()
        pty = try Pty()
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "hunter2").0 == 0)
    }

    private func start(_ variables: String = "TERM=xterm") throws -> ControlProcess {
        // setsid does not say that a signal ended a program.
        let script = """
            sh -c 'echo $$ >\(folder.path(of: "pid")); exec keychainctl browse'
            exit $?
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.path(of: "script")))
        let line =
            "exec env \(variables) setsid --ctty --wait sh \(folder.path(of: "script")) <\(pty.path) >\(pty.path) 2>&1"
        return try ControlProcess(["sh", "-c", line], folder)
    }

    private func identifier() throws -> pid_t {
        try #require(pid_t(String(contentsOfFile: folder.path(of: "pid"), encoding: .utf8).dropLast()))
    }

    @Test("it shows the names, and the secret on request alone, and leaves the terminal as it was")
    func session() throws {
        let before = pty.settings
        let process = try start()
        try pty.readOutput(upTo: Self.entered)
        let first = try pty.readOutput(upTo: "Esc quit")
        #expect(first.contains("svc/ada") && !first.contains("hunter2") && !pty.hasEcho)
        try pty.type("\u{12}")
        try pty.readOutput(upTo: "hunter2")
        // It is written over when the time is over.
        try pty.readOutput(upTo: "hidden")
        try pty.type("\u{3}")
        try pty.readOutput(upTo: "\u{1B}[2J")
        try pty.readOutput(upTo: Self.left)
        #expect(try process.wait() == 0)
        #expect(pty.settings == before)
    }

    @Test("a signal that ends it leaves the terminal as it was", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(_ signal: Int32) throws {
        let before = pty.settings
        let process = try start()
        try pty.readOutput(upTo: "Esc quit")
        #expect(kill(try identifier(), signal) == 0)
        try pty.readOutput(upTo: Self.left)
        #expect(try process.wait() == 128 + signal)
        #expect(pty.settings == before)
    }

    @Test("without a terminal, or with one that has no screen, it says so")
    func refusals() throws {
        let none = try ControlProcess.run(["env", "TERM=xterm", "keychainctl", "browse"], folder)
        #expect(none.0 == 1 && none.1.contains("there is no terminal"), "\(none)")
        for name in ["dumb", "''"] {
            #expect(try start("TERM=\(name)").wait() == 1)
            try pty.readOutput(upTo: "has no screen to browse")
        }
    }
}
