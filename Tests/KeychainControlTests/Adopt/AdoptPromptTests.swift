// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The question of `keychainctl adopt` at a pseudo-terminal.
@Suite(.timeLimit(.minutes(30)))
struct AdoptPromptTests {
    private let folder: TemporaryFolder
    private let pty: Pty
    private let netrc = "machine a.example login ada password s3cr3t-1\n"

    init() throws {
        folder = try TemporaryFolder()
        pty = try Pty()
        try Data(netrc.utf8).write(to: URL(fileURLWithPath: folder.path(of: ".netrc")))
    }

    private func start() throws -> ControlProcess {
        // setsid does not say that a signal ended a program; that of the terminal is for its shell, too.
        let script = "trap : INT\nsh -c 'exec keychainctl adopt netrc'\nexit $?\n"
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.path(of: "script")))
        // Tests that run in the background of a shell ignore the signal.
        let line =
            "exec env --default-signal=INT setsid --ctty --wait sh \(folder.path(of: "script")) <\(pty.path) >\(pty.path) 2>&1"
        return try ControlProcess(["sh", "-c", line], folder)
    }

    private func state() throws -> (file: String, list: String) {
        let file = try String(contentsOfFile: folder.path(of: ".netrc"), encoding: .utf8)
        return (file, try ControlProcess.run(["keychainctl", "list"], folder).1)
    }

    @Test("control-C at the question changes nothing, and leaves the terminal as it was")
    func interrupted() throws {
        let before = pty.settings
        let process = try start()
        let shown = try pty.readOutput(upTo: "Type yes to continue:")
        #expect(shown.contains("ada at a.example") && !shown.contains("s3cr3t"))
        try pty.type("\u{3}")
        #expect(try process.wait() == 128 + SIGINT)
        #expect(try state() == (netrc, "") && pty.settings == before)
    }

    @Test("anything but yes changes nothing, and yes moves it")
    func answers() throws {
        for answer in ["y\r", "\r", "\u{4}"] {
            let process = try start()
            try pty.readOutput(upTo: "Type yes to continue:")
            try pty.type(answer)
            try pty.readOutput(upTo: "nothing was changed")
            #expect(try process.wait() == 1)
            #expect(try state() == (netrc, ""))
        }
        let process = try start()
        try pty.readOutput(upTo: "Type yes to continue:")
        try pty.type("yes\r")
        try pty.readOutput(upTo: "Run:")
        #expect(try process.wait() == 0)
        #expect(try state().file.isEmpty && state().list.contains("a.example/ada"))
    }
}
