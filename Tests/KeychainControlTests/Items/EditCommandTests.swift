// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl edit`, with scripts as editors.
@Suite(.timeLimit(.minutes(30)))
struct EditCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "old").0 == 0)
    }

    private func edit(_ editor: String, _ words: String = "svc/ada") throws -> (status: Int32, output: String) {
        let script = folder.path(of: "editor")
        try Data("#!/bin/sh\n\(editor)\n".utf8).write(to: URL(fileURLWithPath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let line = "unset VISUAL; EDITOR='\(script) option' keychainctl edit \(words)"
        let (status, output) = try ControlProcess.run(["sh", "-c", line], folder)
        return (status, output)
    }

    private func stored() throws -> String { try ControlProcess.run(["keychainctl", "get", "svc/ada"], folder).1 }

    @Test("what the editor writes is stored, without a newline that it adds, and the file is gone")
    func edits() throws {
        let note = folder.path(of: "path")
        let outcome = try edit(
            "echo \"$2\" >\(note); stat -c %a \"$2\" \"${2%/*}\" >>\(note); cat \"$2\"; echo new >\"$2\""
        )
        #expect(outcome.status == 0 && outcome.output == "oldChanged svc/ada.\n", "\(outcome)")
        #expect(try stored() == "new")
        let lines = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.dropFirst() == ["600", "700"])
        let path = try #require(lines.first)
        #expect(!FileManager.default.fileExists(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path))
    }

    @Test(
        "an editor that fails, changes nothing or empties the file changes no password",
        arguments: [("exit 1", 1), ("true", 0), (": >\"$2\"", 1), ("rm \"$2\"", 1), ("kill -9 $$", 1)]
    )
    func keeps(_ editor: String, _ status: Int32) throws {
        #expect(try edit(editor).status == status)
        #expect(try stored() == "old")
    }

    @Test("a password that another program changes meanwhile is not overwritten")
    func changedMeanwhile() throws {
        let outcome = try edit("printf other | keychainctl set svc/ada; echo mine >\"$2\"")
        #expect(outcome.status == 1 && outcome.output.contains("meanwhile"), "\(outcome)")
        #expect(try stored() == "other")
    }

    @Test("label and comment are changed without an editor")
    func attributes() throws {
        #expect(try edit("exit 1", "svc/ada --comment C --label L").status == 0)
        let shown = try ControlProcess.run(["keychainctl", "show", "svc/ada"], folder).1
        #expect(shown.contains("Comment:          C") && shown.contains("Label:            L"))
        #expect(try stored() == "old")
    }
}
