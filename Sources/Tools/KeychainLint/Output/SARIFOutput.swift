// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// SARIF 2.1.0 (OASIS).
enum SARIFOutput {
    static func text(_ outcome: Linter.Outcome, _ context: ReportContext) -> String {
        let names = Set(outcome.findings.map(\.rule))
        let rules = Rule.all.filter { names.contains($0.id) }
        let indexes = Dictionary(rules.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        var driver: [String: JSONValue] = [
            "name": .string("keychain-lint"),
            "version": .string(ProductVersion.number),
            "rules": .array(rules.map { rule($0, context) }),
        ]
        driver["informationUri"] = context.documentation.map { .string($0 + "/README.md") }
        let notifications = outcome.skipped.map { skipped in
            JSONValue.object([
                "level": .string("warning"),
                "message": .object(["text": .string("\(skipped.file): \(skipped.reason)")]),
            ])
        }
        var run: [String: JSONValue] = [
            "tool": .object(["driver": .object(driver)]),
            "invocations": .array([
                .object([
                    "executionSuccessful": .boolean(true),
                    "toolExecutionNotifications": .array(notifications),
                ])
            ]),
            "columnKind": .string("utf16CodeUnits"),
            "results": .array(outcome.findings.map { result(for: $0, index: indexes[$0.rule] ?? 0, rules: rules) }),
        ]
        if let folder = context.workingFolder {
            let base = JSONValue.object(["uri": .string(fileAddress(folder.hasSuffix("/") ? folder : folder + "/"))])
            run["originalUriBaseIds"] = .object([sourceRoot: base])
        }
        let log = JSONValue.object([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"),
            "runs": .array([.object(run)]),
        ])
        return log.indentedText + "\n"
    }

    private static func level(_ severity: Severity) -> JSONValue { .string(severity.rawValue) }

    private static func message(_ text: String) -> JSONValue { .object(["text": .string(text)]) }

    private static func rule(_ rule: Rule, _ context: ReportContext) -> JSONValue {
        var properties: [String: JSONValue] = ["tags": .array(rule.tags.map { .string($0) })]
        // Code scanning sorts by it.
        properties["security-severity"] = rule.securitySeverity.map { .string($0) }
        var pairs: [String: JSONValue] = [
            "id": .string(rule.id),
            "shortDescription": message(rule.title),
            "fullDescription": message(rule.reason),
            // The whole page: it can be read where there is no address of it.
            "help": .object(["text": .string(rule.remedy), "markdown": .string(rule.page)]),
            "defaultConfiguration": .object(["level": level(rule.severity)]),
            "properties": .object(properties),
        ]
        pairs["helpUri"] = context.address(of: rule).map { .string($0) }
        return .object(pairs)
    }

    /// The name of the folder that relative paths are relative to.
    private static let sourceRoot = "%SRCROOT%"

    private static func artifact(_ file: String) -> JSONValue {
        if file.hasPrefix("/") { return .object(["uri": .string(fileAddress(file))]) }
        return .object(["uri": .string(encoded(file)), "uriBaseId": .string(sourceRoot)])
    }

    private static func encoded(_ path: String) -> String { PercentEncoding.encoded(path, keeping: "/+@") }

    private static func fileAddress(_ path: String) -> String { "file://" + encoded(path) }

    private static func location(in file: String, region: [String: JSONValue], text: String?) -> JSONValue {
        var pairs: [String: JSONValue] = [
            "physicalLocation": .object([
                "artifactLocation": artifact(file),
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
                    "artifactLocation": artifact(file),
                    "replacements": .array([replacement]),
                ])
            ]),
        ])
    }
}
