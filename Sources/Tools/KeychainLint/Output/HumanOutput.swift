// SPDX-License-Identifier: Apache-2.0

/// Human-readable findings: a marked excerpt, the reason, and the remedy.
enum HumanOutput {
    static func text(_ outcome: Linter.Outcome, _ context: ReportContext) -> String {
        var result = ""
        let rules = Dictionary(Rule.all.map { ($0.id, $0) }) { first, _ in first }
        var explained: Set<String> = []
        var cached: (file: String, lines: [Substring]?) = ("", nil)
        let leads = Set(outcome.findings.map(\.fingerprint))
        let echoes = Dictionary(
            grouping: outcome.findings.filter { $0.echoOf.map(leads.contains) ?? false },
            by: { $0.echoOf ?? "" }
        )
        for finding in outcome.findings where !(finding.echoOf.map(leads.contains) ?? false) {
            if cached.file != finding.file { cached = (finding.file, context.source(finding.file)) }
            result +=
                "\(finding.file):\(finding.line):\(finding.column): \(finding.severity.rawValue): \(finding.message) "
            result += "[\(finding.rule)]\n"
            if let lines = cached.lines, lines.indices.contains(finding.line - 1) { result += excerpt(lines, finding) }
            for related in finding.related {
                result += "    \(related.file):\(related.line): \(related.message)\n"
            }
            // The same mistake, as other rules see it.
            for echo in echoes[finding.fingerprint] ?? [] { result += "    also: \(echo.message) [\(echo.rule)]\n" }
            // A rule's explanation is printed once.
            if explained.insert(finding.rule).inserted, let rule = rules[finding.rule] {
                let page = context.address(of: rule) ?? "keychain-lint explain \(rule.id)"
                result += "  why: \(rule.reason)\n  fix: \(rule.remedy)\n  see: \(page)\n"
            }
            result += "\n"
        }
        return result + summary(outcome)
    }

    private static func excerpt(_ lines: [Substring], _ finding: Finding) -> String {
        let line = lines[finding.line - 1].filter { $0 != "\r" && $0 != "\r\n" }
        let number = String(finding.line)
        let margin = String(repeating: " ", count: number.count)
        let before = String(decoding: line.utf8.prefix(max(0, finding.column - 1)), as: UTF8.self)
        let width: Int
        if finding.endLine == finding.line, finding.endColumn > finding.column {
            width = finding.endColumn - finding.column
        } else {
            width = max(1, line.count - before.count)
        }
        let indentation = before.map { $0 == "\t" ? "\t" : " " }.joined()
        return " \(number) | \(line)\n \(margin) | \(indentation)^\(String(repeating: "~", count: max(0, width - 1)))\n"
    }

    private static func summary(_ outcome: Linter.Outcome) -> String {
        var result = ""
        for skipped in outcome.skipped { result += "skipped: \(skipped.file) \(skipped.reason)\n" }
        let counts = Dictionary(grouping: outcome.findings, by: \.rule).mapValues(\.count)
        for (rule, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            result += "\(String(repeating: " ", count: max(0, 6 - String(count).count)))\(count)  \(rule)\n"
        }
        func count(_ severity: Severity) -> Int { outcome.findings.count { $0.severity == severity } }
        result += "\(count(.error)) errors, \(count(.warning)) warnings, \(count(.note)) notes in "
        result += "\(outcome.fileCount) files"
        if outcome.suppressedCount > 0 { result += "; \(outcome.suppressedCount) suppressed" }
        return result + "\n"
    }
}
