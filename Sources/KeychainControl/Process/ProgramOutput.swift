// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a program to its end for what it writes to standard output; its errors go where ours go.
enum ProgramOutput {
    /// Runs the program.
    ///
    /// - Parameter words: the program, which is looked for in PATH, and its arguments.
    /// - Returns: Its output.
    /// - Throws: ``Refusal`` when it cannot be run or fails.
    @Sendable
    static func read(_ words: [String]) throws(Refusal) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
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
