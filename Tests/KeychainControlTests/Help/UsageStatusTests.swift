// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@testable import KeychainControl

/// The exit status of wrong usage, which is that of `security`, `keychaind` and `keychain-helper`.
struct UsageStatusTests {
    @Test(
        "every command refuses an unknown option with 2, and shows its help with 0",
        arguments: KeychainControl.commandPaths
    )
    func commands(_ path: [String]) throws {
        for (words, status) in [
            (path + ["--no-such-option"], 2), (path + ["--help"], 0), (["help"] + path, 0),
        ] as [([String], Int32)] {
            let outcome = try Control(device: FakeDevice()).run(words)
            #expect(outcome.status == status && outcome.prompts.isEmpty && outcome.programs.isEmpty, "\(outcome)")
        }
    }

    /// A command line, and its exit status.
    struct Row: CustomTestStringConvertible, Sendable {
        let line: String
        let status: Int32
        var testDescription: String { line }
    }

    @Test(
        "a process ends with it",
        arguments: [
            Row(line: "keychainctl --no-such-option", status: 2), Row(line: "keychainctl frobnicate", status: 2),
            Row(line: "keychainctl device frobnicate", status: 2), Row(line: "keychainctl backup create", status: 2),
            Row(line: "keychainctl device set-policy --auto-lock 0", status: 2),
            Row(line: "keychainctl move --to-group a", status: 2), Row(line: "keychainctl check --none", status: 2),
            Row(line: "keychainctl device remove-passcode now", status: 2), Row(line: "keychainctl \u{FF}", status: 2),
            Row(line: "keychainctl", status: 0), Row(line: "keychainctl --help", status: 0),
            Row(line: "keychainctl --version", status: 0), Row(line: "keychainctl device lock --help", status: 0),
            Row(line: "keychainctl help device lock", status: 0),
            Row(line: "security add-generic-password -Z", status: 2),
        ]
    )
    func processes(_ row: Row) throws {
        let folder = try TemporaryFolder()
        let (status, output) = try ControlProcess.run(row.line.split(separator: " ").map(String.init), folder)
        #expect(status == row.status && !output.isEmpty, "\(output)")
    }

    @Test("the status of a program that a command runs is its own, 64 as well")
    func otherProgram() throws {
        let device = FakeDevice(passcode: "1234")
        var control = Control(device: device)
        control.answers = [.typed("1234")]
        control.programStatus = 64
        #expect(try control.run(["device", "unlock", "--", "program"]).status == 64)
    }
}
