// SPDX-License-Identifier: Apache-2.0

import Foundation
import SecurityTool
import Testing

/// The manual page and the completion scripts of `security`.
struct ManualPageTests {
    private static let page = ManualPage.text(date: "2026-01-31", version: "1.2.3").split(separator: "\n")
        .map(String.init)

    @Test("every supported command has its section, with its usage")
    func commands() {
        #expect(Self.page.contains(".Ss add\\-generic\\-password"))
        #expect(Self.page.contains { $0.hasPrefix("\\-w    Password; asked for when \\-w is the last word.") })
        #expect(Self.page.contains(".Ss help"))
        #expect(!Self.page.contains(".Ss list\\-smartcards"))
        #expect(Self.page.contains { $0.contains("no meaning on Linux") && $0.contains("list\\-smartcards") })
    }

    @Test("the date and the version are those given")
    func heading() {
        #expect(Self.page.contains(".Dd 2026-01-31"))
        #expect(Self.page.contains(".Os swift-keychain 1.2.3"))
    }

    @Test("no line of text is taken for a request, and every block ends")
    func syntax() {
        let requests = Set(Self.page.compactMap { $0.hasPrefix(".") ? $0.prefix { $0 != " " } : nil })
        #expect(
            requests == [
                ".\\\"", ".Dd", ".Dt", ".Os", ".Sh", ".Nm", ".Nd", ".Op", ".Ss", ".Bd", ".Ed", ".Xr", ".Pp", ".Bl",
                ".It", ".El",
            ]
        )
        #expect(Self.page.count { $0.hasPrefix(".Bd") } == Self.page.count { $0 == ".Ed" })
        #expect(!Self.page.contains { $0.hasPrefix("'") })
    }

    @Test(
        "bash completes the names of commands",
        arguments: [("add-g", "add-generic-password"), ("list-k", "list-keychains")]
    )
    func bash(typed: String, completed: String) throws {
        let script =
            ShellCompletion.bash.script + """
                COMP_WORDS=(security \(typed))
                COMP_CWORD=1
                _swift_keychain_security security \(typed) security
                echo "${COMPREPLY[@]}"
                """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(text == "\(completed)\n")
    }

    @Test("zsh and fish are told what each command does")
    func summaries() {
        #expect(ShellCompletion.zsh.script.contains("    'add-generic-password:Add a generic password item.'\n"))
        #expect(
            ShellCompletion.fish.script.contains(
                "complete -c security -n __fish_use_subcommand -a add-generic-password -d 'Add a generic password item.'\n"
            )
        )
    }
}
