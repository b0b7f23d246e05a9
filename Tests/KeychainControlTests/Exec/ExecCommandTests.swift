// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl exec` and `inject`, as processes.
@Suite(.timeLimit(.minutes(30)))
struct ExecCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try store("svc/ada", "s3cret")
    }

    private func store(_ name: String, _ secret: String) throws {
        #expect(try ControlProcess.run(["keychainctl", "set", name], folder, input: secret).0 == 0)
    }

    private func exec(_ words: [String]) throws -> (status: Int32, output: String) {
        let (status, output) = try ControlProcess.run(["keychainctl", "exec"] + words, folder)
        return (status, output)
    }

    private static let env = ["--env", "TOKEN=keychain://svc/ada"]

    @Test("the command has the secret in its environment, and in no argument")
    func environment() throws {
        let script = "echo $TOKEN; tr '\\0' ' ' </proc/$$/cmdline"
        let (status, output) = try exec(Self.env + ["--", "sh", "-c", script])
        #expect(status == 0 && output.hasPrefix("s3cret\n"))
        #expect(output.components(separatedBy: "s3cret").count == 2, "\(output)")
        #expect(try exec(["--env", "USER=keychain://svc/ada?account", "--", "printenv", "USER"]).output == "ada\n")
    }

    @Test("files of variables may have values and references, and --env comes after them")
    func files() throws {
        let path = folder.path(of: "env")
        try Data("A=plain\nTOKEN=keychain://svc/ada\nB='keychain://svc/ada'\n".utf8).write(
            to: URL(fileURLWithPath: path)
        )
        let (status, output) = try exec(["--env-file", path, "--", "sh", "-c", "echo $A $TOKEN $B"])
        #expect(status == 0 && output == "plain s3cret s3cret\n")
        try store("svc/bob", "other")
        let later = ["--env-file", path, "--env", "TOKEN=keychain://svc/bob", "--", "printenv", "TOKEN"]
        #expect(try exec(later).output == "other\n")
    }

    @Test("a template is a file in memory, which goes with the command")
    func template() throws {
        let path = folder.path(of: "template")
        try Data("a = {{ keychain://svc/ada }}\n{{ other }}\n".utf8).write(to: URL(fileURLWithPath: path))
        let filled = "a = s3cret\n{{ other }}\n"
        let command = ["--", "sh", "-c", "cat $FILE; readlink $FILE; (echo x >>$FILE) 2>/dev/null; cat $FILE"]
        let (status, output) = try exec(["--template", "FILE=\(path)"] + command)
        #expect(status == 0 && output == "\(filled)/memfd:swift-keychain (deleted)\n\(filled)", "\(output)")
        let (_, injected) = try ControlProcess.run(["keychainctl", "inject", path], folder)
        #expect(injected == filled)
    }

    @Test("the exit status is the command's, or that of env(1)")
    func statuses() throws {
        #expect(try exec(Self.env + ["--", "sh", "-c", "exit 7"]).status == 7)
        #expect(try exec(Self.env + ["--", "sh", "-c", "kill -9 $$"]).status == 128 + SIGKILL)
        #expect(try exec(Self.env + ["--", "/nonexistent"]).status == 127)
        #expect(try exec(Self.env + ["--", "/"]).status == 126)
        #expect(try exec(["--mask"] + Self.env + ["--", "sh", "-c", "exit 7"]).status == 7)
        #expect(try exec(["--mask"] + Self.env + ["--", "/nonexistent"]).status == 127)
        #expect(
            try exec(["--env", "A=keychain://none", "--", "echo", "ran"]) == (
                125, "Error: there is no password 'keychain://none'; 'keychainctl search' finds similar names\n"
            )
        )
        #expect(try exec(["--env-file", "/nonexistent", "--", "true"]).status == 125)
    }

    @Test(
        "wrong usage is status 2, and no value is repeated",
        arguments: [
            ["--env", "A=hunter2", "--", "true"], ["--env", "hunter2", "--", "true"],
            ["--env", "1A=keychain://hunter2", "--", "true"],
            ["--env", "A=keychain://svc/ada"], ["--env", "A=keychain://svc/ada/hunter2", "--", "true"],
        ]
    )
    func usage(_ words: [String]) throws {
        let (status, output) = try exec(words)
        #expect(status == 2 && !output.contains("hunter2"), "\(output)")
    }

    @Test("secrets are masked in both streams on request, however the command writes them")
    func masks() throws {
        let script = "printf s3c; printf ret; echo; echo $TOKEN >&2; printf s3"
        let (status, output) = try exec(["--mask"] + Self.env + ["--", "sh", "-c", script])
        #expect(status == 0 && !output.contains("s3cret"))
        #expect(output.components(separatedBy: "********").count == 3 && output.contains("s3"), "\(output)")
    }

    @Test("a secret with a NUL cannot be in an environment, but in a template")
    func binary() throws {
        try store("svc/bin", "a\0b")
        let (status, output) = try exec(["--env", "A=keychain://svc/bin", "--", "true"])
        #expect(status == 125 && output.contains("NUL"))
        let path = folder.path(of: "template")
        try Data("{{keychain://svc/bin}}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try exec(["--template", "F=\(path)", "--", "sh", "-c", "od -An -c $F"]).output.contains("a  \\0   b"))
    }

    @Test("a template whose reference has no end is a usage error, and nothing is written")
    func templates() throws {
        for text in ["{{ keychain://svc/ada", "{{ keychain://svc/ada }", "x {{ keychain://svc\n/ada }}"] {
            let path = folder.path(of: "bad")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let (status, output) = try ControlProcess.run(["keychainctl", "inject", path], folder)
            #expect(status == 2 && output.hasPrefix("Error: the template"), "\(text): \(output)")
        }
    }
}
