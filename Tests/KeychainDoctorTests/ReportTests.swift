// SPDX-License-Identifier: Apache-2.0

import Crypto
import DoctorScenarios
import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainDoctor

struct ReportTests {
    private static let documentation = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Documentation")

    private static func report(_ id: String) throws -> DoctorReport {
        let row = try #require(ScenarioRow.all().first { $0.scenario.id == id })
        return try ScenarioRunner().report(row.scenario)
    }

    @Test("the JSON of every report has the published schema")
    func schemaHolds() throws {
        let data = try Data(contentsOf: Self.documentation.appendingPathComponent("doctor-report-1.schema.json"))
        let schema = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var checked = 0
        for row in try ScenarioRow.all() where row.scenario.id != "doctor-035" {
            let report = try ScenarioRunner().report(row.scenario)
            let untitled = report.diagnosis.path.filter { StepTitles.title($0) == nil }
            #expect(untitled == [], "\(row.scenario.id): a step of a path has no question in StepTitles")
            let text = report.json.indentedText
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
            #expect(SchemaValidator.problems(value, schema) == [], "\(row.scenario.id)")
            checked += 1
        }
        #expect(checked > 50)
    }

    @Test("the validator finds what is wrong")
    func validatorFinds() {
        let schema: [String: Any] = [
            "type": "object", "required": ["a"], "additionalProperties": false, "properties": ["a": ["type": "string"]],
        ]
        #expect(SchemaValidator.problems(["a": "x"], schema) == [])
        #expect(!SchemaValidator.problems(["a": 1], schema).isEmpty)
        #expect(!SchemaValidator.problems(["b": "x"], schema).isEmpty)
    }

    @Test("a report is the same for the same call")
    func reportIsStable() throws {
        let texts = try (0..<2).map { _ in
            // Each run stores the items again, at another time.
            try Self.report("doctor-033").verdictText.replacing(#/"(created|modified)": "[^"]*"/#, with: "")
        }
        #expect(texts[0] == texts[1])
    }

    @Test("a redacted report shows no value, and equal values by equal hashes")
    func redactionHidesValues() throws {
        let row = try #require(ScenarioRow.all().first { $0.scenario.id == "doctor-006" })
        let report = try ScenarioRunner(redaction: .hashed { Array(SHA256.hash(data: $0)) }).report(row.scenario)
        for text in [report.json.indentedText, report.humanText, report.html] {
            for value in ["user-token", "com.example.auth", "TEAMID.com.example.shared", "TEAMID.com.example.app"] {
                #expect(!text.contains(value))
            }
        }
        let hashes = report.json["client"]["groups"]
        #expect(hashes != .null)
        #expect(report.json["redaction"]["values"] == .string("hashed"))
        guard case .array(let groups) = hashes, case .object(let names) = report.json["verdict"]["names"] else {
            Issue.record("no groups and names")
            return
        }
        #expect(names["group"] == groups.last)
    }

    @Test("a page of HTML needs nothing else, and runs nothing")
    func pageIsSelfContained() throws {
        let page = try Self.report("doctor-001").html
        #expect(page.contains("attribute-narrows"))
        for word in ["<script", "http://", "https://", "<img", "<link", "@import", "url("] {
            #expect(!page.contains(word))
        }
    }

    @Test("Diagnosis.md is what the tables say")
    func documentIsCurrent() throws {
        let url = Self.documentation.appendingPathComponent("Diagnosis.md")
        #expect(
            try String(contentsOf: url, encoding: .utf8) == DiagnosisDocument.text,
            "swift run doctor-scenarios --document > Documentation/Diagnosis.md"
        )
    }

    @Test("every verdict has its row, and a headline that fits")
    func tableIsComplete() {
        #expect(Set(VerdictTable.all.map(\.id)) == Set(VerdictID.allCases))
        for row in VerdictTable.all { #expect(row.headline.count <= 100 && !row.meaning.isEmpty, "\(row.id.rawValue)") }
    }
}

extension DoctorReport {
    /// What is said, without how long it took.
    fileprivate var verdictText: String {
        json["verdict"].indentedText + json["nearMisses"].indentedText + json["relaxations"].indentedText
    }
}
