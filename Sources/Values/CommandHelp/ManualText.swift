// SPDX-License-Identifier: Apache-2.0

/// Text of manual pages in the language of mdoc(7).
package enum ManualText {
    /// Paragraphs that are separated by empty lines; lines that begin with blanks stay as they are.
    package static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var block: [Substring] = []
        func endBlock() {
            if !block.isEmpty { lines += literal(block) }
            block = []
        }
        var beginsParagraph = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                beginsParagraph = true
                continue
            }
            if line.first == " " {
                block.append(line)
            } else {
                endBlock()
                if beginsParagraph, !lines.isEmpty { lines.append(".Pp") }
                lines += sentences(line).map { escaped($0) }
            }
            beginsParagraph = false
        }
        endBlock()
        return lines
    }

    /// The sentences of a line, which mdoc(7) wants on lines of their own.
    private static func sentences(_ line: Substring) -> [Substring] {
        var sentences: [Substring] = []
        var start = line.startIndex
        for blank in line.indices where line[blank] == " " {
            let end = line[start..<blank].last { !"\"')".contains($0) }
            guard let end, ".!?".contains(end) else { continue }
            sentences.append(line[start..<blank])
            start = line.index(after: blank)
        }
        return sentences + [line[start...]]
    }

    /// Lines as they are.
    package static func literal(_ lines: [some StringProtocol]) -> [String] {
        [".Bd -literal"] + lines.map { escaped($0) } + [".Ed"]
    }

    /// Examples: what each one does, and its line.
    package static func examples(_ examples: [CommandExample]) -> [String] {
        examples.flatMap { [".Pp", escaped($0.meaning), ".Bd -literal -offset indent", escaped($0.line), ".Ed"] }
    }

    /// A list of names with their meanings, empty for no names.
    ///
    /// - Parameters:
    ///   - rows: the names and meanings.
    ///   - macro: what the names are in mdoc(7), such as `Ev`; `nil` for nothing in particular.
    /// - Returns: The lines.
    package static func list(_ rows: [(String, String)], as macro: String? = nil) -> [String] {
        guard !rows.isEmpty else { return [] }
        let items = rows.flatMap { name, meaning in
            [".It \(macro.map { "\($0) " } ?? "")\(escaped(name))"] + paragraphs(meaning)
        }
        return [".Bl -tag -width Ds"] + items + [".El"]
    }

    /// References to other pages, such as `security 1`.
    package static func references(_ pages: [String]) -> [String] {
        pages.enumerated().map { ".Xr \($1)\($0 == pages.count - 1 ? "" : " ,")" }
    }

    /// A line of text, in which nothing is a request or an escape.
    package static func escaped(_ line: some StringProtocol) -> String {
        let text = line.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
            .split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }
}
