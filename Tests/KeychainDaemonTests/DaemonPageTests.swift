// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The commands of the daemon's page, as a user of a container runs them: without systemd, D-Bus and a runtime
/// folder.
@Suite(.timeLimit(.minutes(10)))
struct DaemonPageTests {
    private static let root = #filePath.components(separatedBy: "/Tests/KeychainDaemonTests/")[0]

    /// The commands of the first block behind a text.
    private static func commands(behind text: String) throws -> String {
        let page = try String(contentsOfFile: "\(root)/Documentation/Daemon.md", encoding: .utf8)
        let section = try #require(page.components(separatedBy: text).dropFirst().first)
        let block = try #require(section.components(separatedBy: "```sh\n").dropFirst().first)
        return block.components(separatedBy: "```")[0]
    }

    @Test("the example of the service runs as it stands, with nothing but a home folder")
    func service() throws {
        let commands = try Self.commands(behind: "\n## One unlock for all programs\n")
        #expect(commands.split(separator: "\n").count == 5)
        let folder = try TemporaryFolder(prefix: "kd")
        let tools = try URL(fileURLWithPath: DaemonFolder.program("keychainctl")).deletingLastPathComponent().path
        let shell = Shell(environment: [
            "HOME": folder.path, "PATH": "\(tools):/usr/bin:/bin", "PASSCODE": "correct horse",
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none",
        ])
        let example = try shell.run("/bin/sh", ["-euc", commands])
        #expect(example.status == 0, "\(example)")
        #expect(example.output.hasSuffix("s3cret\n"), "\(example)")
        let disabled = try shell.control("service disable")
        #expect(disabled.status == 0, "\(disabled)")
    }
}
