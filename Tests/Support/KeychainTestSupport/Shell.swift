// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost

/// Runs the tools of this build as a user would, on the keychain of a folder.
package struct Shell: Sendable {
    /// The variables that programs get.
    package let environment: [String: String]

    /// A program that starts them, with its arguments.
    private let prefix: [String]

    /// What a program left behind.
    package struct Outcome: Equatable, Sendable {
        /// Its exit status, or 128 and the signal that ended it.
        package var status: Int32
        /// What it wrote to standard output.
        package var output: String
        /// What it wrote to standard error.
        package var errors: String

        /// An outcome.
        package init(status: Int32, output: String, errors: String) {
            self.status = status
            self.output = output
            self.errors = errors
        }
    }

    /// Programs with this keychain, and a folder for sockets.
    package init(home: String, runtime: String) throws {
        var environment = [
            "SWIFT_KEYCHAIN_HOME": home, "XDG_RUNTIME_DIR": runtime, "HOME": runtime,
            "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "PATH": "/usr/bin:/bin",
        ]
        environment["SWIFT_KEYCHAIND"] = try DaemonFolder.program("keychaind")
        self.init(environment: environment)
    }

    /// Programs with the keychain of a folder, and a folder for sockets beside it.
    package static func beside(_ folder: DaemonFolder) throws -> Shell {
        let runtime = folder.path(beside: "runtime")
        try FileManager.default.createDirectory(
            atPath: runtime,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        return try Shell(home: folder.location.path, runtime: runtime)
    }

    /// Programs with other variables.
    package init(environment: [String: String], prefix: [String] = []) {
        self.environment = environment
        self.prefix = prefix
    }

    /// Runs a program of this build, or one by its absolute path, to its end.
    package func run(_ program: String, _ arguments: [String], input: String = "") throws -> Outcome {
        let process = try process(program, arguments)
        let pipes = (output: Pipe(), errors: Pipe())
        process.standardInput = try ChildInput.file(input)
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        let output = pipes.output.fileHandleForReading.readDataToEndOfFile()
        let errors = pipes.errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    /// A program that is not started yet.
    package func process(_ program: String, _ arguments: [String]) throws -> Process {
        let process = Process()
        let path = program.hasPrefix("/") ? program : try DaemonFolder.program(program)
        let words = prefix + [path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        return process
    }

    /// `keychainctl` with arguments that have no spaces.
    package func control(_ line: String, input: String = "") throws -> Outcome {
        try run("keychainctl", line.split(separator: " ").map(String.init), input: input)
    }

    /// `security` with arguments that have no spaces.
    package func security(_ line: String, input: String = "") throws -> Outcome {
        try run("security", line.split(separator: " ").map(String.init), input: input)
    }
}
