// SPDX-License-Identifier: Apache-2.0

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
