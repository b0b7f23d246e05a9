// SPDX-License-Identifier: Apache-2.0

/// The comments that suppress findings.
struct Suppressions {
    private struct Rule {
        var names: Set<String>
        var lines: ClosedRange<Int>
    }

    private var rules: [String: [Rule]] = [:]
    /// Comments that are malformed, or that give no reason.
    private(set) var problems: [Linter.Skipped] = []

    init(_ files: [String: SourceFile]) {
        for (path, file) in files { read(file, path) }
    }

    func covers(_ finding: Finding) -> Bool {
        (rules[finding.file] ?? []).contains { rule in
            rule.lines.overlaps(finding.line...max(finding.line, finding.endLine)) && rule.names.contains(finding.rule)
        }
    }

    private mutating func read(_ file: SourceFile, _ path: String) {
        var open: [String: Int] = [:]
        for comment in file.tree.comments {
            let line = file.lines.line(comment.offset)
            let text = comment.text.dropFirst("keychain-lint:".count)
            // A comment text with an interpolation is part of a string about such comments.
            guard text.hasPrefix("disable") || text.hasPrefix("enable"), !text.contains("\\(") else { continue }
            let parts = text.split(separator: " ", maxSplits: 1)
            let command = String(parts.first ?? "")
            let rest = parts.count > 1 ? String(parts[1]) : ""
            let (names, reason) = Self.split(rest)
            if names.isEmpty {
                problems.append(.init(file: "\(path):\(line)", reason: .comment("the comment names no rule")))
                continue
            }
            for name in names where !Self.isKnown(name) {
                problems.append(.init(file: "\(path):\(line)", reason: .comment("there is no rule '\(name)'")))
            }
            if command.hasPrefix("disable"), reason.isEmpty {
                problems.append(
                    .init(
                        file: "\(path):\(line)",
                        reason: .comment("the comment gives no reason, and suppresses nothing")
                    )
                )
                continue
            }
            switch command {
            case "disable:next": rules[path, default: []].append(.init(names: names, lines: line + 1...line + 1))
            case "disable:this": rules[path, default: []].append(.init(names: names, lines: line...line))
            case "disable": for name in names { open[name] = line }
            case "enable":
                for name in names {
                    guard let start = open.removeValue(forKey: name) else { continue }
                    rules[path, default: []].append(.init(names: [name], lines: start...line))
                }
            default: problems.append(.init(file: "\(path):\(line)", reason: .comment("'\(command)' is no command")))
            }
        }
        for (name, start) in open {
            rules[path, default: []].append(.init(names: [name], lines: start...max(start, file.lines.count)))
        }
    }

    private static func isKnown(_ name: String) -> Bool { KeychainLint.Rule.all.contains { $0.id == name } }

    /// `rule, rule — reason`; the dash may be `—`, `–`, `--` or ` - `.
    private static func split(_ text: String) -> (names: Set<String>, reason: String) {
        var names: Set<String> = []
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," })
        for (index, word) in words.enumerated() {
            if ["—", "–", "--", "-", ":"].contains(word) {
                return (names, words[(index + 1)...].joined(separator: " "))
            }
            names.insert(String(word))
        }
        return (names, "")
    }
}
