// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// SARIF 2.1.0 (OASIS).
enum SARIFOutput {
    static func text(_ outcome: Linter.Outcome) -> String {
        let names = Set(outcome.findings.map(\.rule))
        let rules = Rule.all.filter { names.contains($0.id) }
        let indexes = Dictionary(rules.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        let driver = JSONValue.object([
            "name": .string("keychain-lint"),
            "informationUri": .string(Rule.documentationAddress),
            "rules": .array(rules.map(rule)),
        ])
        let notifications = outcome.skipped.map { skipped in
            JSONValue.object([
                "level": .string("warning"),
                "message": .object(["text": .string("\(skipped.file): \(skipped.reason)")]),
            ])
        }
        let run = JSONValue.object([
            "tool": .object(["driver": driver]),
            "invocations": .array([
                .object([
                    "executionSuccessful": .boolean(true),
                    "toolExecutionNotifications": .array(notifications),
                ])
            ]),
            "columnKind": .string("utf16CodeUnits"),
            "results": .array(outcome.findings.map { result(for: $0, index: indexes[$0.rule] ?? 0, rules: rules) }),
        ])
        let log = JSONValue.object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"),
            "runs": .array([run]),
        ])
        return log.indentedText + "\n"
    }

    private static func level(_ severity: Severity) -> JSONValue { .string(severity.rawValue) }

    private static func message(_ text: String) -> JSONValue { .object(["text": .string(text)]) }

    private static func rule(_ rule: Rule) -> JSONValue {
        .object([
            "id": .string(rule.id),
            "shortDescription": message(rule.title),
            "fullDescription": message(rule.reason),
            "help": message(rule.remedy),
            "helpUri": .string(rule.documentationAddress),
            "defaultConfiguration": .object(["level": level(rule.severity)]),
        ])
    }

    private static func location(in file: String, region: [String: JSONValue], text: String?) -> JSONValue {
        var pairs: [String: JSONValue] = [
            "physicalLocation": .object([
                "artifactLocation": .object(["uri": .string(PercentEncoding.encoded(file, keeping: "/+@"))]),
                "region": .object(region),
            ])
        ]
        if let text { pairs["message"] = message(text) }
        return .object(pairs)
    }

    private static func result(for finding: Finding, index: Int, rules: [Rule]) -> JSONValue {
        // Columns are omitted: a region of whole lines is the same in every encoding.
        let region: [String: JSONValue] = [
            "startLine": .integer(finding.line), "endLine": .integer(max(finding.line, finding.endLine)),
        ]
        var pairs: [String: JSONValue] = [
            "ruleId": .string(finding.rule),
            "ruleIndex": .integer(index),
            "level": level(finding.severity),
            "message": message(finding.message),
            "locations": .array([location(in: finding.file, region: region, text: nil)]),
            "relatedLocations": .array(
                finding.related.map {
                    location(in: $0.file, region: ["startLine": .integer($0.line)], text: $0.message)
                }
            ),
            "partialFingerprints": .object(["keychainLint/v1": .string(finding.fingerprint)]),
            "properties": .object([
                "confidence": .string(finding.confidence.rawValue),
                "reason": .string(rules[index].title),
            ]),
        ]
        if let fix = finding.fix { pairs["fixes"] = .array([Self.fix(fix, finding.file)]) }
        return .object(pairs)
    }

    /// A fix (§3.55) of one replacement, in bytes of the file.
    private static func fix(_ fix: Finding.Fix, _ file: String) -> JSONValue {
        let replacement = JSONValue.object([
            "deletedRegion": .object(["byteOffset": .integer(fix.start), "byteLength": .integer(fix.end - fix.start)]),
            "insertedContent": .object(["text": .string(fix.replacement)]),
        ])
        return .object([
            "description": message(fix.title + (fix.isSafe ? "" : " (to be reviewed)")),
            "artifactChanges": .array([
                .object([
                    "artifactLocation": .object(["uri": .string(PercentEncoding.encoded(file, keeping: "/+@"))]),
                    "replacements": .array([replacement]),
                ])
            ]),
        ])
    }
}
