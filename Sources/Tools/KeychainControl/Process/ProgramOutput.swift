// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// Runs a program to completion and captures its standard output.
enum ProgramOutput {
    /// Runs the program; its standard error is ours.
    ///
    /// - Parameter words: the program, which is searched for in PATH, and its arguments.
    /// - Returns: Its output.
    /// - Throws: ``Refusal`` if it cannot be run or fails.
    @Sendable
    static func read(_ words: [String]) throws(Refusal) -> String { try read(words, errors: .inherited) }

    /// Runs the program for information, discarding its errors.
    ///
    /// - Throws: ``Refusal`` if it cannot be run or fails.
    @Sendable
    static func probe(_ words: [String]) throws(Refusal) -> String { try read(words, errors: .null) }

    private static func read(_ words: [String], errors: CapturedProgram.Stream) throws(Refusal) -> String {
        let name = words.joined(separator: " ")
        let program: CapturedProgram
        do throws(FileError) { program = try CapturedProgram(words, errors: errors) } catch {
            throw Refusal("'\(name)' cannot be run: \(error)")
        }
        guard program.status == 0 else { throw Refusal("'\(name)' failed with status \(program.status)") }
        return String(decoding: program.output, as: UTF8.self)
    }
}
