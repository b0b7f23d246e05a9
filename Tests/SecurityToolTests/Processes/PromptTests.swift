// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Passwords typed at a terminal.
@Suite(.timeLimit(.minutes(30)))
struct PromptTests {
    private static let question = "password data for new item: "
    private static let repetition = "retype password for new item: "
    private static let add = ["add-generic-password", "-a", "alice", "-s", "svc", "-w"]

    private let user: ToolUser
    private let pty: Pty

    init() throws {
        user = try ToolUser()
        pty = try Pty()
    }

    @Test("a password is typed without being shown")
    func passwordIsHidden() throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        #expect(!pty.hasEcho)
        try pty.type("hunter2\n")
        #expect(try pty.readOutput(upTo: Self.repetition) == "\r\n" + Self.repetition)
        #expect(!pty.hasEcho)
        try pty.type("hunter2\n")
        #expect(try process.wait() == 0)
        // The terminal may show it later than the program ends.
        #expect(try pty.readOutput(upTo: "\r\n") == "\r\n")
        #expect(pty.rest.isEmpty)
        #expect(pty.hasEcho)
        #expect(try stored() == "hunter2\n")
        #expect(try errors().isEmpty)
    }

    @Test("the passphrase of a file is typed without being shown, for an import and for an export")
    func passphraseOfFile() throws {
        let workshop = try Workshop()
        try workshop.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=a -out certificate.pem
            openssl pkcs12 -export -inkey key.pem -in certificate.pem -passout pass:hunter2 -out file.p12
            """
        )
        try Data(workshop.bytes("file.p12")).write(to: URL(fileURLWithPath: user.current.path(of: "file.p12")))
        let reading = try pty.start(["import", "file.p12"], as: user)
        try pty.readOutput(upTo: "passphrase for file.p12: ")
        #expect(!pty.hasEcho)
        try pty.type("hunter2\n")
        #expect(try reading.wait() == 0)
        #expect(try errors().isEmpty)
        let writing = try pty.start(["-q", "export", "-t", "identities", "-f", "pkcs12", "-o", "out.p12"], as: user)
        try pty.readOutput(upTo: "passphrase for export: ")
        try pty.type("geheim\n")
        try pty.readOutput(upTo: "retype passphrase for export: ")
        #expect(!pty.hasEcho)
        try pty.type("geheim\n")
        #expect(try writing.wait() == 0)
        let result = try user.run(["import", "out.p12", "-P", "geheim"])
        #expect(result.status == 1)
        #expect(result.errorText.contains("already exists"))
    }

    @Test("both lines may be typed ahead")
    func typedAhead() throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        try pty.type("hunter2\nhunter2\n")
        try expectStored("hunter2\n", by: process)
    }

    @Test("a mismatch asks again, three times")
    func mismatch() throws {
        let process = try pty.start(Self.add, as: user)
        for _ in 0..<3 {
            try pty.readOutput(upTo: Self.question)
            try pty.type("one\n")
            try pty.readOutput(upTo: Self.repetition)
            try pty.type("two\n")
        }
        #expect(try process.wait() == 1)
        #expect(pty.hasEcho)
        #expect(try errors() == String(repeating: "passwords don't match\n", count: 3))
        #expect(try user.run(["find-generic-password"]).status == 44)
    }

    @Test("the terminal is asked even when standard input is something else")
    func terminalBeforeInput() throws {
        // Inside -i, the commands come from the terminal as well; the session of a command does not touch it.
        let process = try pty.start(["-i"], as: user)
        try pty.type("add-generic-password -a alice -s svc -w\n")
        try pty.readOutput(upTo: Self.question)
        try pty.type("hunter2\n")
        try pty.readOutput(upTo: Self.repetition)
        try pty.type("hunter2\n")
        try pty.readOutput(upTo: "\r\n")
        try pty.type("\u{4}")
        try expectStored("hunter2\n", by: process)
    }

    @Test("end of input is an empty password")
    func endOfInput() throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        try pty.type("\u{4}")
        try pty.readOutput(upTo: Self.repetition)
        try pty.type("\u{4}")
        try expectStored("\n", by: process)
    }

    @Test("a signal ends the program, and the echo is back", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signalRestoresEcho(_ signal: Int32) throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        #expect(!pty.hasEcho)
        kill(process.identifier, signal)
        #expect(try process.wait() == -signal)
        #expect(pty.hasEcho)
        #expect(try user.run(["find-generic-password"]).status == 44)
    }

    @Test("the interrupt key ends the program, and the echo is back")
    func interruptKey() throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        try pty.type("hun\u{3}")
        #expect(try process.wait() == -SIGINT)
        #expect(pty.hasEcho)
    }

    @Test("after a stop the question is asked again")
    func stop() throws {
        let process = try pty.start(Self.add, as: user)
        try pty.readOutput(upTo: Self.question)
        // A session leader has nobody to continue it, so the system does not stop it, and it goes on at once.
        kill(process.identifier, SIGTSTP)
        try pty.readOutput(upTo: Self.question)
        #expect(!pty.hasEcho)
        try pty.type("hunter2\nhunter2\n")
        try expectStored("hunter2\n", by: process)
    }

    @Test("a signal that was blocked from the start does not disturb")
    func blockedSignal() throws {
        let process = try pty.start(Self.add, as: user, blocksSignals: true)
        try pty.readOutput(upTo: Self.question)
        kill(process.identifier, SIGTERM)
        usleep(500_000)
        #expect(pty.rest.isEmpty)
        try pty.type("hunter2\nhunter2\n")
        try expectStored("hunter2\n", by: process)
    }

    @Test("a line that the terminal cuts is refused", arguments: [4094, 4095, 6000])
    func longLine(_ count: Int) throws {
        let process = try pty.start(Self.add, as: user)
        let password = String(repeating: "x", count: count)
        try pty.readOutput(upTo: Self.question)
        try pty.type(password + "\n")
        guard count > 4094 else {
            try pty.readOutput(upTo: Self.repetition)
            try pty.type(password + "\n")
            try expectStored(password + "\n", by: process)
            return
        }
        #expect(try process.wait() == 1)
        #expect(try errors().hasPrefix("security: the terminal may have cut the password"))
        #expect(!(try errors().contains("xx")))
        #expect(pty.hasEcho)
    }

    @Test("-S never asks the terminal")
    func standardInputOnly() throws {
        let process = try pty.start(["-S"] + Self.add, as: user)
        // Standard input is the terminal here, and is read as any other.
        try pty.type("hunter2\n")
        #expect(try process.wait() == 0)
        #expect(!pty.rest.contains("password"))
        #expect(try stored() == "hunter2\n")
    }

    @Test("interactive mode shows its prompt to a person", arguments: [["-i"], ["-p", "kc> "], ["-qip", "kc> "]])
    func interactivePrompt(_ arguments: [String]) throws {
        let process = try pty.start(arguments, as: user)
        try pty.type("help error\n\u{4}")
        #expect(try process.wait() == 0)
        let prompt = arguments.last == "-i" ? "security> " : "kc> "
        #expect(try errors() == prompt + prompt)
    }

    /// Expects that a program succeeds, and that a password is stored then.
    private func expectStored(
        _ password: String,
        by process: ToolProcess.Running,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try process.wait() == 0, sourceLocation: sourceLocation)
        #expect(try stored() == password, sourceLocation: sourceLocation)
    }

    private func stored() throws -> String { try user.run(["find-generic-password", "-s", "svc", "-w"]).outputText }

    private func errors() throws -> String {
        try String(contentsOfFile: user.temporary.path(of: "errors"), encoding: .utf8)
    }
}
