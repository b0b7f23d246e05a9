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
                125, "Error: A: there is no password 'keychain://none'; 'keychainctl search' finds similar names\n"
            )
        )
        #expect(try exec(["--env-file", "/nonexistent", "--", "true"]).status == 125)
    }

    @Test("what the system cannot run is status 126: too long an environment, a loop of links, too long a name")
    func systemRefusals() throws {
        try store("svc/long", String(repeating: "x", count: 200_000))
        let loop = folder.path(of: "loop")
        #expect(symlink(loop, loop) == 0)
        let long = "/" + String(repeating: "n", count: 300)
        for mask in [[], ["--mask"]] {
            let (status, output) = try exec(mask + ["--env", "LONG=keychain://svc/long", "--", "true"])
            #expect(status == 126 && output == "keychainctl: true: Argument list too long\n", "\(output)")
            #expect(try exec(mask + Self.env + ["--", loop]).status == 126)
            #expect(try exec(mask + Self.env + ["--", long]).status == 126)
        }
    }

    @Test("a script without a first line for its interpreter is run by the shell, also by a name in PATH")
    func scripts() throws {
        let path = folder.path(of: "script")
        try Data("echo ran $1 ${#TOKEN}\n".utf8).write(to: URL(fileURLWithPath: path))
        chmod(path, 0o700)
        let shell = [
            "env", "PATH=\(folder.path):\(try ControlProcess.programs()):/usr/bin:/bin", "keychainctl", "exec",
        ]
        for mask in [[], ["--mask"]] {
            #expect(try exec(mask + Self.env + ["--", path, "it"]) == (0, "ran it 6\n"))
            let byName = try ControlProcess.run(shell + mask + Self.env + ["--", "script", "it"], folder)
            #expect(byName == (0, "ran it 6\n"))
        }
    }

    @Test("names whose characters are canonically equivalent are those of different passwords")
    func equivalence() throws {
        try store("svc/\u{E9}", "composed")
        try store("svc/e\u{301}", "decomposed")
        let env = ["--env", "A=keychain://svc/%C3%A9", "--env", "B=keychain://svc/e%CC%81"]
        #expect(try exec(env + ["--", "sh", "-c", "echo $A $B"]).output == "composed decomposed\n")
    }

    @Test("an unlock is passed on to the command", arguments: [[], ["--mask"]])
    func unlock(_ mask: [String]) throws {
        let setPasscode = ["keychainctl", "device", "set-passcode", "--passcode-stdin"]
        #expect(try ControlProcess.run(setPasscode, folder, input: "1234\n").0 == 0)
        let unlock = ["keychainctl", "device", "unlock", "--passcode-stdin", "--", "keychainctl", "exec"]
        let command = ["--env", "A=keychain://svc/ada?account", "--", "keychainctl", "get", "svc/ada"]
        let outcome = try ControlProcess.run(unlock + mask + command, folder, input: "1234\n")
        #expect(outcome == (0, "s3cret"))
    }

    @Test("a mistake in a reference is told with its file and variable")
    func mistakes() throws {
        let path = folder.path(of: "env")
        try Data("A=b\nTOKEN=keychain://svc/ada?nosuch\n".utf8).write(to: URL(fileURLWithPath: path))
        let (status, output) = try exec(["--env-file", path, "--", "true"])
        #expect(status == 2 && output.hasPrefix("Error: \(path), TOKEN: a reference"), "\(output)")
        try Data("{{ keychain://svc/bob }}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try exec(["--template", "F=\(path)", "--", "true"]).output.hasPrefix("Error: \(path): there is no"))
    }

    @Test(
        "wrong usage is status 2, and no value is repeated",
        arguments: [
            ["--env", "A=hunter2", "--", "true"], ["--env", "hunter2", "--", "true"],
            ["--env", "1A=keychain://hunter2", "--", "true"],
            ["--env", "A=keychain://svc/ada"], ["--env", "A=keychain://svc/ada/hunter2", "--", "true"],
            ["--template", "hunter2", "--", "true"], ["--template-file", "hunter2", "--", "true"],
            ["--template-file", "A=hunter2", "--template-file", "A=hunter2", "--", "true"],
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

    @Test("a masked command whose output nobody reads any more is ended by it")
    func closedReader() throws {
        let words = "keychainctl exec --mask --env TOKEN=keychain://svc/ada -- yes"
        let status = folder.path(of: "status")
        let script = "{ \(words); echo $? >\(status); } | head -n 1; cat \(status)"
        #expect(try ControlProcess.run(["sh", "-c", script], folder) == (0, "y\n\(128 + SIGPIPE)\n"))
    }

    @Test("what a masked command leaves in the background is not waited for, and nothing that it wrote is lost")
    func background() throws {
        let script = "sleep 10000 & echo $!; head -c 60000 /dev/zero | tr '\\0' x; echo; echo $TOKEN"
        let (status, output) = try exec(["--mask"] + Self.env + ["--", "sh", "-c", script])
        let lines = output.split(separator: "\n")
        #expect(status == 0 && lines.count == 3 && lines.last == "********")
        #expect(lines.dropFirst().first?.utf8.count == 60_000)
        if let process = lines.first.flatMap({ pid_t($0) }) { kill(process, SIGKILL) }
    }

    @Test("a masked command gets the signals of keychainctl, and its status is that of keychainctl")
    func signals() throws {
        let script = "trap 'echo got; exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"
        #expect(try exec(["--mask"] + Self.env + ["--", "sh", "-c", script]) == (3, "got\n"))
        #expect(try exec(["--mask"] + Self.env + ["--", "sh", "-c", "kill -TERM $$"]).status == 128 + SIGTERM)
    }

    @Test("much output is masked completely")
    func muchOutput() throws {
        let script = "yes $TOKEN | head -n 500000"
        let (status, output) = try exec(["--mask"] + Self.env + ["--", "sh", "-c", script])
        #expect(status == 0 && output.utf8.count == 500_000 * 9 && !output.contains("s3cret"))
    }

    @Test("a descriptor that was not given is none of the program's own, such as that of the keychain")
    func ownDescriptors() throws {
        let path = folder.path(of: "template")
        try Data("{{ keychain://svc/ada }}".utf8).write(to: URL(fileURLWithPath: path))
        let tries = "for n in 3 4 5 6 7 8 9 10 11; do keychainctl inject \(path) --output-fd $n && echo done; done"
        let rest = "keychainctl inject \(path) --output-fd 3 3>&1; keychainctl check >/dev/null; echo $?"
        let (_, output) = try ControlProcess.run(["sh", "-c", "\(tries) 2>/dev/null; \(rest)"], folder)
        #expect(output == "s3cret0\n")
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
