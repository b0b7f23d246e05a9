// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A program that others wrote, to compare with.
enum Tool {
    /// Runs a program with files in a folder of its own, which is also its working directory; gives its status and
    /// output.
    static func run(
        _ program: String,
        _ arguments: [String],
        files: [String: [UInt8]] = [:],
        input: String = "",
        in folder: TemporaryFolder? = nil
    ) throws -> (status: Int32, output: [UInt8]) {
        let folder = try folder ?? TemporaryFolder()
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: name))) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, Array(output))
    }

    /// What a program writes that succeeds.
    static func output(
        _ program: String,
        _ arguments: [String],
        files: [String: [UInt8]] = [:],
        input: String = "",
        in folder: TemporaryFolder? = nil
    ) throws -> [UInt8] {
        let result = try run(program, arguments, files: files, input: input, in: folder)
        try #require(result.status == 0, "\(program) \(arguments.joined(separator: " "))")
        return result.output
    }
}
