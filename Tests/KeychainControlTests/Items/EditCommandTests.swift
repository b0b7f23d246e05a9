// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
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
        arguments: [
            ("exit 1", 1), ("true", 0), (": >\"$2\"", 1), ("rm \"$2\"", 1), ("kill -9 $$", 1),
            ("rm \"$2\"; mkfifo \"$2\"", 1), ("ln -sf /etc/passwd \"$2\"", 1), ("truncate -s 5G \"$2\"", 1),
        ]
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

    @Test("copies that an editor leaves beside the file are gone with it", arguments: [0, 1])
    func leavings(_ status: Int) throws {
        let note = folder.path(of: "path")
        let outcome = try edit(
            """
            folder=${2%/*}; echo "$folder" >\(note); cd "$folder"
            cp secret.txt secret.txt~; cp secret.txt .secret.txt.swp; mkdir -p a/b; cp secret.txt a/b/c; ln -s /etc/passwd l
            cp secret.txt "$(printf '\\377')"; ln secret.txt a/link; mkfifo pipe; chmod 500 a/b
            exit \(status)
            """
        )
        #expect(outcome.status == status, "\(outcome)")
        let path = try String(contentsOfFile: note, encoding: .utf8).dropLast()
        #expect(!FileManager.default.fileExists(atPath: String(path)))
        #expect(try stored() == "old")
    }

    @Test("what is left of an edit that was killed is removed by the next one")
    func killed() throws {
        let note = folder.path(of: "path")
        let killed = try edit("echo \"${2%/*}\" >\(note); kill -9 $PPID")
        #expect(killed.status == 128 + 9, "\(killed)")
        let path = String(try String(contentsOfFile: note, encoding: .utf8).dropLast())
        #expect(try edit("true").status == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try stored() == "old")
    }

    @Test("what is being edited stays while another edit begins")
    func twoAtOnce() throws {
        let script = folder.path(of: "inner")
        try Data("#!/bin/sh\ntrue\n".utf8).write(to: URL(fileURLWithPath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        #expect(try edit("EDITOR=\(script) keychainctl edit svc/ada; echo new >\"$2\"").status == 0)
        #expect(try stored() == "new")
    }

    @Test("a signal to the command ends the editor, changes nothing and leaves nothing", arguments: ["TERM", "HUP"])
    func signals(_ signal: String) throws {
        let note = folder.path(of: "path")
        let outcome = try edit(
            "echo \"$2\" >\(note); echo new >\"$2\"; kill -\(signal) $PPID; exec sleep 3600"
        )
        #expect(outcome.status == 1 && outcome.output.contains("nothing was changed"), "\(outcome)")
        let path = String(try String(contentsOfFile: note, encoding: .utf8).dropLast())
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try stored() == "old")
    }

    @Test("an empty VISUAL is none")
    func emptyVariable() throws {
        let line = "VISUAL= EDITOR=false keychainctl edit svc/ada"
        #expect(try ControlProcess.run(["sh", "-c", line], folder).1.contains("failed with status 1:"))
    }

    @Test(
        "a real vim leaves nothing of the secret in the home folder, whatever its settings say",
        .enabled(if: access("/usr/bin/vim", X_OK) == 0),
        arguments: ["vi", "vim"]
    )
    func vim(_ name: String) throws {
        let home = folder.path(of: "home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let settings = """
            set viminfo='100,<50,s10 viminfofile=\(home)/info backup backupdir=\(home) undofile undodir=\(home)
            set directory=\(home) updatecount=1
            """
        try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(home)/.vimrc"))
        let line =
            "unset VISUAL; HOME=\(home) EDITOR=\"\(name) -c 'normal yyp' -c '%s/old/hunter2/' -c wq\" keychainctl edit svc/ada"
        let outcome = try ControlProcess.run(["sh", "-c", line], folder)
        #expect(outcome.0 == 0, "\(outcome)")
        #expect(try stored() == "hunter2\nhunter2")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [".vimrc"])
    }
}
