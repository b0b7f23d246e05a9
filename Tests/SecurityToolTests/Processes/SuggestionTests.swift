// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Where `security` shows what an unknown command may have meant.
@Suite(.timeLimit(.minutes(30)))
struct SuggestionTests {
    private let user: ToolUser
    private let pty: Pty

    init() throws {
        user = try ToolUser()
        pty = try Pty()
    }

    private static let unknown = "security: unknown command \"ls\"\n"

    private func start(_ words: [String], _ streams: ToolProcess.Streams) throws -> ToolProcess.Running {
        try ToolProcess.start(
            words.map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            streams
        )
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: user.temporary.path(of: name), encoding: .utf8)
    }

    @Test("errors that are a terminal have the suggestion behind what macOS prints, and the output has nothing")
    func terminal() throws {
        let output = user.temporary.path(of: "output")
        let process = try start(["ls"], ToolProcess.Streams(output: output, errors: pty.path))
        let shown = try pty.readOutput(upTo: "dump-keychain\r\n")
        #expect(
            shown == Self.unknown.replacing("\n", with: "\r\n")
                + "security: the command for that is: security dump-keychain\r\n"
        )
        #expect(try process.wait() == 1)
        #expect(try pty.rest.isEmpty && text("output").isEmpty)
    }

    @Test("a terminal has the way to a default keychain behind what macOS prints, and other errors do not")
    func defaultKeychain() throws {
        let output = user.temporary.path(of: "output")
        let process = try start(["lock-keychain"], ToolProcess.Streams(output: output, errors: pty.path))
        let shown = try pty.readOutput(upTo: "set-passcode')\r\n")
        #expect(shown.contains("could not be found.\r\nsecurity: 'security default-keychain -s login.keychain'"))
        #expect(try process.wait() == 37)
        let errors = user.temporary.path(of: "errors")
        #expect(try start(["lock-keychain"], ToolProcess.Streams(output: output, errors: errors)).wait() == 37)
        #expect(try text("errors") == "security: SecKeychainLock <NULL>: A default keychain could not be found.\n")
    }

    @Test("a terminal that was told to be quiet has no suggestion")
    func quiet() throws {
        let output = user.temporary.path(of: "output")
        let process = try start(["-q", "ls"], ToolProcess.Streams(output: output, errors: pty.path))
        #expect(try process.wait() == 1)
        #expect(!pty.rest.contains("dump-keychain"))
    }

    @Test("errors that are no terminal have what macOS prints alone, whatever the other streams are")
    func otherErrors() throws {
        let errors = user.temporary.path(of: "errors")
        let process = try start(["ls"], ToolProcess.Streams(input: pty.path, output: pty.path, errors: errors))
        #expect(try process.wait() == 1)
        #expect(try text("errors") == Self.unknown)
        #expect(pty.rest.isEmpty)
    }
}
