// SPDX-License-Identifier: Apache-2.0

/// A command line that a reader can copy, and what it does.
package struct CommandExample: Hashable, Sendable {
    /// The line, as it is typed in a shell.
    package let line: String

    /// One sentence about what it does.
    package let meaning: String

    package init(line: String, meaning: String) {
        self.line = line
        self.meaning = meaning
    }
}

/// What `--help` says of a command below its abstract: an explanation, then examples.
///
/// swift-argument-parser has one text for both, so the examples are a part of that text, in a form from which they are
/// read again for manual pages.
package struct CommandDiscussion: Hashable, Sendable {
    /// The explanation; may be empty.
    package let explanation: String

    package let examples: [CommandExample]

    /// The most characters of an example's line, so that `--help` breaks it on no terminal.
    package static let lineLimit = 76

    private static let heading = "EXAMPLES:"
    private static let lineIndent = "  "
    private static let meaningIndent = "        "

    /// The discussion of a command's configuration.
    ///
    /// - Parameters:
    ///   - explanation: the explanation; may be empty.
    ///   - examples: command lines, each with one sentence about what it does. Every command has at least one.
    /// - Returns: The text for `--help`.
    package static func text(_ explanation: String = "", examples: KeyValuePairs<String, String>) -> String {
        let lines = examples.flatMap { [lineIndent + $0.key, meaningIndent + $0.value] }
        return ([explanation].filter { !$0.isEmpty } + [([heading] + lines).joined(separator: "\n")])
            .joined(separator: "\n\n")
    }

    /// Reads a text that ``text(_:examples:)`` has made, or one without examples.
    package init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0 == Self.heading } ?? lines.endIndex
        var explanation = lines[..<end]
        while explanation.last?.isEmpty == true { explanation.removeLast() }
        self.explanation = explanation.joined(separator: "\n")
        var examples: [CommandExample] = []
        var rest = lines.suffix(from: min(end + 1, lines.endIndex))
        while let line = rest.popFirst(), let meaning = rest.popFirst() {
            examples.append(
                CommandExample(
                    line: String(line.dropFirst(Self.lineIndent.count)),
                    meaning: String(meaning.dropFirst(Self.meaningIndent.count))
                )
            )
        }
        self.examples = examples
    }
}
