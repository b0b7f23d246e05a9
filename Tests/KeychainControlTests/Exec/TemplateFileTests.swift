// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl exec --template-file`: files in the run-time folder, which are removed however the command ends.
@Suite(.timeLimit(.minutes(30)), .enabled(if: TemporaryFolder.memory != nil, "there is no file system in memory"))
struct TemplateFileTests {
    private let folder: TemporaryFolder
    private let runtime: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        runtime = try TemporaryFolder(in: TemporaryFolder.memory)
        #expect(try ControlProcess.run(["keychainctl", "set", "svc/ada"], folder, input: "s3cret").0 == 0)
        try Data("a: {{ keychain://svc/ada }}\n".utf8).write(to: URL(fileURLWithPath: template))
    }

    private var template: String { folder.path(of: "app.yaml.in") }

    private func exec(_ command: [String], runtime path: String? = nil) throws -> (status: Int32, output: String) {
        let words = ["env", "XDG_RUNTIME_DIR=\(path ?? runtime.path)", "keychainctl", "exec"]
        let (status, output) = try ControlProcess.run(
            words + ["--template-file", "FILE=\(template)"] + command,
            folder
        )
        return (status, output)
    }

    /// Whether everything in the run-time folder is removed: by a process that notices the end of the command.
    private var isEmpty: Bool {
        eventually("removed") { (try? FileManager.default.contentsOfDirectory(atPath: runtime.path))?.isEmpty == true }
    }

    @Test("a program that is started by the command opens the file, which only its owner can read")
    func contents() throws {
        let script = "env -i sh -c \"cat $FILE\"; stat -c %a $FILE ${FILE%/*}; echo $FILE"
        let (status, output) = try exec(["--", "sh", "-c", script])
        let lines = output.split(separator: "\n")
        #expect(status == 0 && lines.dropLast() == ["a: s3cret", "600", "700"], "\(output)")
        #expect(lines.last?.hasPrefix("\(runtime.path)/") == true && lines.last?.hasSuffix("/FILE.yaml") == true)
        #expect(isEmpty)
    }

    @Test(
        "the file is removed when the command is killed, cannot be run, or ends with keychainctl by a signal",
        arguments: [
            (["--", "sh", "-c", "kill -9 $$"], 128 + SIGKILL), (["--", "/nonexistent"], 127),
            (["--mask", "--", "sh", "-c", "kill -9 $PPID"], 128 + SIGKILL),
            (["--env", "A=keychain://none", "--", "true"], 125), (["--", "sh", "-c", "kill -INT 0"], 128 + SIGINT),
        ] as [([String], Int32)]
    )
    func ends(_ command: [String], status: Int32) throws {
        #expect(try exec(command).status == status)
        #expect(isEmpty)
    }

    @Test("what the end of the whole machine's processes left is removed by the next command, and nothing else")
    func remains() throws {
        let left = runtime.path(of: ".swift-keychain.\(String(repeating: "0", count: 32)).copy")
        for path in [left, runtime.path(of: "other")] {
            #expect(mkdir(path, 0o700) == 0)
            try Data().write(to: URL(fileURLWithPath: "\(path)/FILE"))
        }
        #expect(try exec(["--", "ls", runtime.path]).output == "other\n")
        #expect(access(left, F_OK) != 0)
    }

    @Test("without a run-time folder of the user's own in memory there is no file, and the reason is said")
    func refusals() throws {
        for (path, reason) in [
            ("", "XDG_RUNTIME_DIR is not set"), ("run", "XDG_RUNTIME_DIR is not set"),
            ("/dev/shm", "mode 0700"), ("/nonexistent", "mode 0700"), ("/etc", "mode 0700"),
        ] {
            let (status, output) = try exec(["--", "echo", "ran"], runtime: path)
            #expect(status == 125 && output.contains(reason) && !output.contains("ran\n"), "\(path): \(output)")
        }
        let onDisk = try TemporaryFolder(in: "/var/tmp")
        let (status, output) = try exec(["--", "true"], runtime: onDisk.path)
        #expect(status == 0 || output.contains("not in memory"), "\(output)")
    }

    @Test("the file has the end of the template's name", arguments: [("a.json", ".json"), ("b.in", ""), ("c", "")])
    func suffix(_ name: String, _ suffix: String) throws {
        let path = folder.path(of: name)
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let words = ["--template-file", "OTHER=\(path)", "--", "sh", "-c", "echo ${OTHER##*/}; cat $OTHER $FILE"]
        #expect(try exec(words).output == "OTHER\(suffix)\nxa: s3cret\n")
    }
}
