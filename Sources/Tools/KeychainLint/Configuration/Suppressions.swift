// SPDX-License-Identifier: Apache-2.0
import CommandHelp

/// The comments that suppress findings.
struct Suppressions {
    private struct Rule {
        /// nil for all rules.
        var name: String?
        var lines: ClosedRange<Int>
    }

    private var rules: [String: [Rule]] = [:]
    /// Comments that are malformed, or that give no reason.
    private(set) var problems: [Linter.Skipped] = []

    init(_ files: [SourceFile], _ texts: [Project.TextFile]) {
        for file in files {
            let comments = file.tree.comments.map { (line: file.lines.line($0.offset), text: $0.text) }
            read(comments, in: file.path, lineCount: file.lines.count)
        }
        for text in texts where text.text.contains(SuppressionComment.marker) {
            let lines = text.lines
            let comments = lines.enumerated().compactMap { index, line in
                SuppressionComment.text(in: line).map { (line: index + 1, text: $0) }
            }
            read(comments, in: text.path, lineCount: lines.count)
        }
    }

    func covers(_ finding: Finding) -> Bool {
        (rules[finding.file] ?? []).contains { rule in
            rule.lines.overlaps(finding.line...max(finding.line, finding.endLine))
                && (rule.name ?? finding.rule) == finding.rule
        }
    }

    private mutating func read(_ comments: [(line: Int, text: String)], in path: String, lineCount: Int) {
        var open: [String?: Int] = [:]
        for (line, text) in comments {
            guard let comment = SuppressionComment(text) else { continue }
            for problem in comment.problems {
                problems.append(.init(file: "\(path):\(line)", reason: .comment(problem)))
            }
            switch comment.command {
            case .next: for name in comment.names { add(name, at: line + 1...line + 1, in: path) }
            case .this: for name in comment.names { add(name, at: line...line, in: path) }
            case .from: for name in comment.names { open[name] = line }
            case .end:
                for name in comment.names {
                    guard let start = open.removeValue(forKey: name) else { continue }
                    add(name, at: start...line, in: path)
                }
            }
        }
        for (name, start) in open { add(name, at: start...max(start, lineCount), in: path) }
    }

    private mutating func add(_ name: String?, at lines: ClosedRange<Int>, in path: String) {
        rules[path, default: []].append(Rule(name: name, lines: lines))
    }
}

/// `keychain-lint:disable:next rule, rule — reason`, in the comment syntax of any file.
struct SuppressionComment {
    enum Command { case next, this, from, end }

    var command: Command
    /// The names of rules; nil stands for all.
    var names: [String?] = []
    /// What is wrong with the comment.
    var problems: [String] = []

    static let marker = "keychain-lint:"
    private static let commands: [String: Command] = [
        "disable:next": .next, "disable:this": .this, "disable": .from, "enable": .end,
    ]
    private static let openings = ["//", "#", "<!--", "/*", "--", ";"]
    private static let dashes: Set<Substring> = ["—", "–", "--", "-", ":"]

    /// The text of such a comment in a line of a file.
    static func text(in line: Substring) -> String? {
        guard let start = line.firstRange(of: marker) else { return nil }
        let before = line[..<start.lowerBound]
        guard openings.contains(where: { before.contains($0) }), !before.contains("\"") else { return nil }
        return String(line[start.lowerBound...])
    }

    /// nil for a text that is not about suppressing.
    init?(_ text: String) {
        var words = Self.words(text)
        // A text with an interpolation, or in quotes, is part of a string about such comments.
        guard let first = words.first, !text.contains("\\("), !text.contains("\"") else { return nil }
        words.removeFirst()
        guard let command = Self.commands[String(first)] else {
            guard
                !NearWords.suggestions(for: String(first), among: Self.commands.keys.sorted()).isEmpty
                    || ["ignore", "suppress", "skip", "off", "disable:previous"].contains(first)
            else { return nil }
            self.command = .end
            problems = ["'\(first)' is no command: disable:next, disable:this, disable and enable are"]
            return
        }
        self.command = command
        let reason = readNames(words)
        if names.isEmpty, problems.isEmpty { problems.append("the comment names no rule") }
        if command != .end, reason.isEmpty, !names.isEmpty {
            problems.append("the comment gives no reason, and suppresses nothing")
            names = []
        }
    }

    /// The words after the marker, without the end of the comment.
    private static func words(_ text: String) -> [Substring] {
        var rest = Substring(text.dropFirst(marker.count))
        for end in ["-->", "*/"] { if let range = rest.firstRange(of: end) { rest = rest[..<range.lowerBound] } }
        return rest.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" || $0 == "\r" })
    }

    /// Reads the names of rules.
    ///
    /// - Returns: The words after them, which are the reason.
    private mutating func readNames(_ words: [Substring]) -> [Substring] {
        for (index, word) in words.enumerated() {
            let rest = Array(words[(index + 1)...])
            if Self.dashes.contains(word) { return rest }
            if word.hasPrefix("(") { return Array(words[index...]) }
            // `rule: reason`
            let isLast = word.hasSuffix(":")
            let name = String(isLast ? word.dropLast() : word)
            if name == "all" {
                names.append(nil)
            } else if Rule.all.contains(where: { $0.id == name }) {
                names.append(name)
            } else if index > 0, !name.contains("-") {
                // No dash between the rules and the reason.
                return Array(words[index...])
            } else {
                let question = NearWords.question(name, among: Rule.all.map(\.id))
                problems.append("there is no rule '\(name)'\(question)")
            }
            if isLast { return rest }
        }
        return []
    }
}
