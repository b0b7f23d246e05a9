// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The words of an example's command line, as a shell passes them.
///
/// Enough of the grammar of shells for examples.
package enum ExampleWords {
    /// The arguments that a line passes to a program, in whichever part of a pipe, or in a substitution.
    ///
    /// - Parameters:
    ///   - line: a command line with quotes, pipes and redirections.
    ///   - program: the name of the program.
    /// - Returns: The words behind that name; `nil` if the line does not run the program.
    package static func arguments(of line: String, to program: String) -> [String]? {
        if let inner = line.firstMatch(of: /\$\((?<command>[^)]*)\)/)?.command,
            let words = arguments(of: String(inner), to: program)
        {
            return words
        }
        for part in words(of: line).split(separator: "|") {
            let words = part.first == "sudo" ? part.dropFirst() : part
            guard words.first == program else { continue }
            return Array(words.dropFirst().prefix { $0.firstMatch(of: /^[0-9]*[<>]/) == nil })
        }
        return nil
    }

    /// Such arguments with a descriptor that is open in place of each that an example names: this process may have
    /// anything there.
    ///
    /// - Parameters:
    ///   - words: the arguments.
    ///   - body: gets the arguments while the descriptor is open, for reading and writing.
    /// - Returns: What `body` returns.
    package static func withOpenDescriptor<Result>(
        in words: [String],
        _ body: ([String]) throws -> Result
    ) rethrows -> Result {
        let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        return try body(
            words.indices.map { index in
                index > 0 && words[index - 1].hasSuffix("-fd") ? "\(descriptor)" : words[index]
            }
        )
    }

    private static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word? += String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let complete = word { words.append(complete) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
