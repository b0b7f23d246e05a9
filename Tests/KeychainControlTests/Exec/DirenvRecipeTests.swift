// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The recipes for direnv in Documentation/Items.md, as they stand there, with direnv itself.
@Suite(.enabled(if: access("/usr/bin/direnv", X_OK) == 0, "direnv is not installed"), .timeLimit(.minutes(10)))
struct DirenvRecipeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let stored = try ControlProcess.run(["keychainctl", "set", "github.com/ada"], folder, input: "hunter2")
        try #require(stored.0 == 0, "\(stored.1)")
    }

    /// The blocks of code of the section.
    private static func blocks() throws -> [String] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Documentation/Items.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## direnv and systemd\n").last)
        return section.components(separatedBy: "\n## ")[0].matches(of: /```sh\n(.*?)```/.dotMatchesNewlines()).map {
            String($0.output.1)
        }
    }

    private func write(_ text: String, to name: String, isProgram: Bool = false) throws {
        let file = URL(fileURLWithPath: folder.path(of: name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
        if isProgram { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path) }
    }

    /// Runs a command as a shell would in the folder `project`, whose file was allowed.
    private func run(_ command: String) throws -> (status: Int32, output: String) {
        let line = "cd \(folder.path(of: "project")) && direnv allow . && exec direnv exec . sh -c '\(command)'"
        let (status, output) = try ControlProcess.run(["sh", "-c", line], folder)
        return (status, output)
    }

    @Test("one program gets the secret, and the others of the folder do not")
    func oneProgram() throws {
        let blocks = try Self.blocks()
        try write(blocks[0], to: "project/.envrc")
        try write("#!/bin/sh\necho \"gh has $GH_TOKEN and $*\"\n", to: "real/gh", isProgram: true)
        let script = blocks[1].replacing("/usr/bin/gh", with: folder.path(of: "real/gh"))
        try write(script, to: "project/bin/gh", isProgram: true)
        try write("GH_TOKEN=keychain://github.com/ada\n", to: "project/.env")
        let outcome = try run("gh repo list; echo \"others have [$GH_TOKEN]\"")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasSuffix("gh has hunter2 and repo list\nothers have []\n"), "\(outcome)")
    }

    @Test("every program gets it, and one that cannot be read is an error, not an empty variable")
    func everyProgram() throws {
        let blocks = try Self.blocks()
        try write(blocks[2], to: ".config/direnv/direnvrc")
        try write(blocks[3], to: "project/.envrc")
        let outcome = try run("echo \"[$GH_TOKEN]\"")
        #expect(outcome.status == 0 && outcome.output.hasSuffix("[hunter2]\n"), "\(outcome)")
        try write(blocks[3].replacing("ada", with: "eve"), to: "project/.envrc")
        let missing = try run("echo started")
        #expect(missing.status != 0 && !missing.output.contains("started"), "\(missing)")
    }
}
