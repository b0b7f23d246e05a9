// SPDX-License-Identifier: Apache-2.0

/// `{"findings": […], "skipped": […], "summary": {…}}`.
enum JSONOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        JSONValue.object([
            ("findings", .array(outcome.findings.map(finding))),
            (
                "skipped",
                .array(
                    outcome.skipped.map { .object([("file", .string($0.file)), ("reason", .string("\($0.reason)"))]) }
                )
            ),
            (
                "summary",
                .object([
                    ("files", .number(outcome.fileCount)), ("parsed", .number(outcome.parsedCount)),
                    ("lines", .number(outcome.lineCount)), ("suppressed", .number(outcome.suppressedCount)),
                ])
            ),
        ]).text
    }

    private static func finding(_ finding: Finding) -> JSONValue {
        var pairs: [(String, JSONValue)] = [
            ("rule", .string(finding.rule)),
            ("severity", .string(finding.severity.rawValue)),
            ("confidence", .string(finding.confidence.rawValue)),
            ("file", .string(finding.file)),
            ("line", .number(finding.line)),
            ("column", .number(finding.column)),
            ("endLine", .number(finding.endLine)),
            ("endColumn", .number(finding.endColumn)),
            ("message", .string(finding.message)),
            ("fingerprint", .string(finding.fingerprint)),
        ]
        if !finding.related.isEmpty {
            let related = finding.related.map { place in
                JSONValue.object([
                    ("file", .string(place.file)), ("line", .number(place.line)), ("message", .string(place.message)),
                ])
            }
            pairs.append(("related", .array(related)))
        }
        return .object(pairs)
    }
}
