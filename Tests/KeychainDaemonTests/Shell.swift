// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// Runs the tools of this build as a user would, on the keychain of a folder.
struct Shell {
    let environment: [String: String]

    /// A program that runs the others, with its arguments.
    var prefix: [String] = []

    /// What a program left behind.
    struct Outcome: Equatable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Programs with this keychain, and a folder for sockets.
    init(home: String, runtime: String) throws {
        var environment = [
            "SWIFT_KEYCHAIN_HOME": home, "XDG_RUNTIME_DIR": runtime, "HOME": runtime,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "PATH": "/usr/bin:/bin",
        ]
        environment["SWIFT_KEYCHAIND"] = try DaemonFolder.program("keychaind")
        self.environment = environment
    }

    /// Programs with other variables.
    init(environment: [String: String], prefix: [String] = []) {
        self.environment = environment
        self.prefix = prefix
    }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String], input: String = "") throws -> Outcome {
        let process = Process()
        let path = program.hasPrefix("/") ? program : try DaemonFolder.program(program)
        let words = prefix + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        try pipes.input.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipes.input.fileHandleForWriting.close()
        let output = pipes.output.fileHandleForReading.readDataToEndOfFile()
        let errors = pipes.errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    /// `keychainctl` with arguments that have no spaces.
    func control(_ line: String, input: String = "") throws -> Outcome {
        try run("keychainctl", line.split(separator: " ").map(String.init), input: input)
    }

    /// `security` with arguments that have no spaces.
    func security(_ line: String, input: String = "") throws -> Outcome {
        try run("security", line.split(separator: " ").map(String.init), input: input)
    }
}
