// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// How editors are started, so that they keep no copies.
struct EditorCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["vim.tiny", "nano", "busybox"] {
            try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: folder.path(of: name)))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path(of: name))
        }
        for (name, program) in [
            ("alternative", "vim.tiny"), ("vi", "alternative"), ("editor", "nano"), ("view", "busybox"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(of: name),
                withDestinationPath: folder.path(of: program)
            )
        }
    }

    private func line(_ editor: String) -> String { EditorCommand.line(editor, path: folder.path) }

    @Test("the program behind a link counts, in PATH or by its path")
    func links() {
        #expect(line("vi").hasPrefix("exec vi -n -i NONE "))
        #expect(line("\(folder.path(of: "vi")) -R").hasPrefix("exec \(folder.path(of: "vi")) -n -i NONE "))
        #expect(line("editor") == "exec editor --restricted")
        #expect(line("view") == "exec view")
    }

    @Test(
        "editors are known by their names where there is no such file, and others are run as they are",
        arguments: [
            ("nano -w", "exec nano --restricted -w"), (" nano", "exec nano --restricted"),
            ("$HOME/bin/rnano", "$HOME/bin/rnano --restricted"), ("joe", "joe -nobackups -nodeadjoe --joe_state"),
            ("emacsclient -t", "emacsclient -t"), ("code --wait", "code --wait"), ("A=1 vim", "A=1 vim"),
        ]
    )
    func names(_ editor: String, _ expected: String) { #expect(line(editor) == expected) }

    @Test(
        "vim and emacs are known by each of their names",
        arguments: ["vim.basic", "nvim", "emacs -nw", "/opt/emacs-29.1"]
    )
    func families(_ editor: String) { #expect(line(editor).contains("backup")) }

    @Test("the options come before commands that end the editor")
    func order() { #expect(line("vim -c wq").hasSuffix(" -c wq")) }

    @Test("a program takes the place of the shell, unless the shell has more to do")
    func replacesShell() {
        #expect(line("view -x").hasPrefix("exec "))
        #expect(!line("view; view").hasPrefix("exec ") && !line("view x || view").hasPrefix("exec "))
    }
}
