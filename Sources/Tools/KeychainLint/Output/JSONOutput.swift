// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `{"findings": […], "skipped": […], "summary": {…}}`.
enum JSONOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        let document = JSONValue.object([
            "findings": .array(outcome.findings.map(finding)),
            "skipped": .array(
                outcome.skipped.map { .object(["file": .string($0.file), "reason": .string("\($0.reason)")]) }
            ),
            "summary": .object([
                "files": .integer(outcome.fileCount), "parsed": .integer(outcome.parsedCount),
                "lines": .integer(outcome.lineCount), "suppressed": .integer(outcome.suppressedCount),
            ]),
        ])
        return document.indentedText + "\n"
    }

    private static func finding(_ finding: Finding) -> JSONValue {
        var pairs: [String: JSONValue] = [
            "rule": .string(finding.rule),
            "severity": .string(finding.severity.rawValue),
            "confidence": .string(finding.confidence.rawValue),
            "file": .string(finding.file),
            "line": .integer(finding.line),
            "column": .integer(finding.column),
            "endLine": .integer(finding.endLine),
            "endColumn": .integer(finding.endColumn),
            "message": .string(finding.message),
            "fingerprint": .string(finding.fingerprint),
        ]
        if let lead = finding.echoOf { pairs["echoOf"] = .string(lead) }
        if !finding.related.isEmpty {
            let related = finding.related.map { place in
                JSONValue.object([
                    "file": .string(place.file), "line": .integer(place.line), "message": .string(place.message),
                ])
            }
            pairs["related"] = .array(related)
        }
        return .object(pairs)
    }
}

extension Rule {
    /// All rules, for programs.
    public static var listAsJSON: String {
        let rules = all.map { rule in
            JSONValue.object([
                "id": .string(rule.id),
                "title": .string(rule.title),
                "severity": .string(rule.severity.rawValue),
                "confidence": .string(rule.confidence.rawValue),
                "family": .string(rule.family.rawValue),
                "reason": .string(rule.reason),
                "remedy": .string(rule.remedy),
                "tags": .array(rule.tags.map { .string($0) }),
            ])
        }
        return JSONValue.object(["rules": .array(rules)]).indentedText + "\n"
    }
}
