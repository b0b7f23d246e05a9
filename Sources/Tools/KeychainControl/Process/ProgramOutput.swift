// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a program to completion and captures its standard output.
enum ProgramOutput {
    /// Runs the program; its standard error is ours.
    ///
    /// - Parameter words: the program, which is searched for in PATH, and its arguments.
    /// - Returns: Its output.
    /// - Throws: ``Refusal`` if it cannot be run or fails.
    @Sendable
    static func read(_ words: [String]) throws(Refusal) -> String { try read(words, showsErrors: true) }

    /// Runs the program for information, discarding its errors.
    ///
    /// - Throws: ``Refusal`` if it cannot be run or fails.
    @Sendable
    static func probe(_ words: [String]) throws(Refusal) -> String { try read(words, showsErrors: false) }

    private static func read(_ words: [String], showsErrors: Bool) throws(Refusal) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        if !showsErrors { process.standardError = FileHandle.nullDevice }
        let name = words.joined(separator: " ")
        do { try process.run() } catch { throw Refusal("'\(name)' cannot be run: \(error.localizedDescription)") }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Refusal("'\(name)' failed with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
