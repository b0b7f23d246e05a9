// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Whether what is written is SARIF: the properties that each object of the format has to have and may have.
///
/// Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; the sections are named below. The
/// schema itself may not be copied in part, so that the objects that the linter writes are described here.
struct SARIFTests {
    private indirect enum Shape: Sendable {
        case text
        case uri
        case integer(minimum: Int)
        case flag
        case choice(Set<String>)
        case list(Shape, minimum: Int = 0)
        case object([String: Shape], required: Set<String>)
        /// Names that the producer chooses (§3.8).
        case bag
    }

    private static let message = Shape.object(["text": .text], required: ["text"])  // §3.11
    private static let artifactLocation = Shape.object(["uri": .uri, "uriBaseId": .text], required: ["uri"])  // §3.4
    private static let help = Shape.object(["text": .text, "markdown": .text], required: ["text"])  // §3.12
    private static let region = Shape.object(  // §3.30
        [
            "startLine": .integer(minimum: 1), "endLine": .integer(minimum: 1), "startColumn": .integer(minimum: 1),
            "endColumn": .integer(minimum: 1), "byteOffset": .integer(minimum: 0), "byteLength": .integer(minimum: 0),
        ],
        required: []
    )
    private static let location = Shape.object(  // §3.28, §3.29
        [
            "physicalLocation": .object(
                ["artifactLocation": artifactLocation, "region": region],
                required: ["artifactLocation"]
            ),
            "message": message,
        ],
        required: []
    )
    private static let level = Shape.choice(["none", "note", "warning", "error"])  // §3.27.10
    private static let fix = Shape.object(  // §3.55–§3.57
        [
            "description": message,
            "artifactChanges": .list(
                .object(
                    [
                        "artifactLocation": artifactLocation,
                        "replacements": .list(
                            .object(
                                ["deletedRegion": region, "insertedContent": .object(["text": .text], required: [])],
                                required: ["deletedRegion"]
                            ),
                            minimum: 1
                        ),
                    ],
                    required: ["artifactLocation", "replacements"]
                ),
                minimum: 1
            ),
        ],
        required: ["artifactChanges"]
    )
    private static let result = Shape.object(  // §3.27
        [
            "ruleId": .text, "ruleIndex": .integer(minimum: 0), "level": level, "message": message,
            "locations": .list(location), "relatedLocations": .list(location), "partialFingerprints": .bag,
            "properties": .bag, "fixes": .list(fix),
        ],
        required: ["message"]
    )
    private static let descriptor = Shape.object(  // §3.49
        [
            "id": .text, "shortDescription": message, "fullDescription": message, "help": help, "helpUri": .uri,
            "defaultConfiguration": .object(["level": level], required: []), "properties": .bag,
        ],
        required: ["id"]
    )
    private static let driver = Shape.object(  // §3.19
        ["name": .text, "version": .text, "informationUri": .uri, "rules": .list(descriptor)],
        required: ["name"]
    )
    // §3.58
    private static let notification = Shape.object(["level": level, "message": message], required: ["message"])
    private static let invocation = Shape.object(  // §3.20
        ["executionSuccessful": .flag, "toolExecutionNotifications": .list(notification)],
        required: ["executionSuccessful"]
    )
    private static let log = Shape.object(  // §3.13, §3.14, §3.18
        [
            "$schema": .uri, "version": .choice(["2.1.0"]),
            "runs": .list(
                .object(
                    [
                        "tool": .object(["driver": driver], required: ["driver"]), "invocations": .list(invocation),
                        "columnKind": .choice(["utf16CodeUnits", "unicodeCodePoints"]), "results": .list(result),
                        "originalUriBaseIds": .object(["%SRCROOT%": artifactLocation], required: []),
                    ],
                    required: ["tool"]
                )
            ),
        ],
        required: ["version", "runs"]
    )

    /// What is wrong with a value, each with its path.
    private static func problems(of value: Any, against shape: Shape, at path: String = "$") -> [String] {
        switch shape {
        case .text: return value is String ? [] : ["\(path) is no text"]
        case .flag: return value is Bool ? [] : ["\(path) is no boolean"]
        case .bag: return value is [String: Any] ? [] : ["\(path) is no object"]
        case .uri:
            guard let text = value as? String else { return ["\(path) is no text"] }
            let allowed = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"\\^`{|}".utf8.contains($0) }
            return allowed && !text.isEmpty ? [] : ["\(path) is no URI reference: \(text)"]
        case .integer(let minimum):
            guard let number = value as? Int else { return ["\(path) is no integer"] }
            return number >= minimum ? [] : ["\(path) is \(number)"]
        case .choice(let texts):
            return (value as? String).map { texts.contains($0) } == true ? [] : ["\(path) is \(value)"]
        case .list(let element, let minimum):
            guard let values = value as? [Any] else { return ["\(path) is no array"] }
            let short = values.count < minimum ? ["\(path) has too few elements"] : []
            return short
                + values.enumerated().flatMap {
                    problems(of: $0.element, against: element, at: "\(path)[\($0.offset)]")
                }
        case .object(let properties, let required):
            guard let object = value as? [String: Any] else { return ["\(path) is no object"] }
            var result = required.subtracting(object.keys).map { "\(path) has no \($0)" }
            for (name, inner) in object {
                guard let shape = properties[name] else {
                    result.append("\(path) has \(name)")
                    continue
                }
                result += problems(of: inner, against: shape, at: "\(path).\(name)")
            }
            return result
        }
    }

    private static func json(_ outcome: Linter.Outcome, _ context: ReportContext = ReportContext()) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(Format.sarif.text(outcome, context: context).utf8))
    }

    @Test func everyRuleIsWrittenAsTheStandardSays() throws {
        var options = Linter.Options()
        options.isPedantic = true
        var count = 0
        for rule in Rule.all {
            options.formerGroups = rule.flagged.formerGroups
            let outcome = Linter().lint(rule.flagged.files, options: options)
            count += outcome.findings.count
            #expect(Self.problems(of: try Self.json(outcome), against: Self.log) == [], "\(rule.id)")
        }
        #expect(count >= Rule.all.count)
    }

    @Test func pathsAndProblemsAreWrittenAsTheStandardSays() throws {
        let outcome = Linter().lint([
            "Sources/<a b>/ü|\"x\".swift": RobustnessTests.defect,
            "broken.swift": RobustnessTests.defect + "\nfunc (((",
        ])
        #expect(outcome.skipped.count == 1 && outcome.findings.count > 1)
        #expect(Self.problems(of: try Self.json(outcome), against: Self.log) == [])
    }

    @Test func placesAreRelativeToTheWorkingFolderAndLinksAreAbsolute() throws {
        let outcome = Linter().lint(["a b.swift": RobustnessTests.defect])
        let context = ReportContext(workingFolder: "/work/my app", documentation: "https://example.com/pages/")
        let log = try Self.json(outcome.below("App/"), context)
        #expect(Self.problems(of: log, against: Self.log) == [])
        let text = Format.sarif.text(outcome.below("App/"), context: context)
        #expect(text.contains("\"uri\": \"App/a%20b.swift\"") && text.contains("\"uriBaseId\": \"%SRCROOT%\""))
        #expect(text.contains("\"uri\": \"file:///work/my%20app/\""))
        #expect(text.contains("\"https://example.com/pages/ignored-osstatus.md\""))
        #expect(text.contains("external/cwe/cwe-252"))
        let absolute = Format.sarif.text(outcome.below("/work/"))
        #expect(absolute.contains("\"uri\": \"file:///work/a%20b.swift\"") && !absolute.contains("SRCROOT"))
    }

    @Test func rulesAboutSecurityHaveASeverityOfTheirOwn() throws {
        #expect(Set(Rule.rulesWithStandards).subtracting(Rule.all.map(\.id)) == [])
        for rule in Rule.all where rule.family == .secrets {
            #expect(rule.tags.contains("security") && rule.tags.contains { $0.hasPrefix("external/cwe/cwe-") })
            let severity = try #require(rule.securitySeverity.flatMap(Double.init))
            #expect(severity > 0 && severity <= 10)
        }
        let gate = try #require(Rule.all.first { $0.id == "local-auth-only-gate" })
        #expect(gate.tags.contains("MASTG-TEST-0266"))
    }

    @Test func aFindingPointsToItsRule() throws {
        let root = try #require(try Self.json(Linter().lint(["a.swift": RobustnessTests.defect])) as? [String: Any])
        let run = try #require((root["runs"] as? [[String: Any]])?.first)
        let tool = run["tool"] as? [String: [String: Any]]
        let rules = try #require(tool?["driver"]?["rules"] as? [[String: Any]])
        for result in try #require(run["results"] as? [[String: Any]]) {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
        }
    }

    @Test func aFixIsPartOfAFinding() throws {
        let text = """
            import Security
            func exists() -> Bool {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true] as CFDictionary, nil) == errSecSuccess
            }
            """
        let outcome = Linter().lint(["a.swift": text])
        let written = Format.sarif.text(outcome)
        #expect(outcome.findings.contains { $0.fix != nil } && written.contains("\"artifactChanges\""))
        #expect(Self.problems(of: try Self.json(outcome), against: Self.log) == [])
    }

    /// The check itself finds what is wrong.
    @Test func whatIsWrongIsSeen() {
        #expect(Self.problems(of: ["runs": []] as [String: Any], against: Self.log) == ["$ has no version"])
        #expect(
            Self.problems(of: ["version": "2.1.0", "runs": [[:]]] as [String: Any], against: Self.log) == [
                "$.runs[0] has no tool"
            ]
        )
        #expect(Self.problems(of: ["startLine": 0], against: Self.region) == ["$.startLine is 0"])
        #expect(Self.problems(of: "a b", against: Shape.uri).count == 1)
    }
}
