// SPDX-License-Identifier: Apache-2.0

import DoctorScenarios
import Foundation
import Testing

/// Every scenario of `Cases/*.jsonl`.
struct ScenarioTests {
    @Test("the doctor names the verdict of a scenario", arguments: try ScenarioRow.all())
    func verdictIsNamed(_ row: ScenarioRow) {
        switch ScenarioRunner().run(row.scenario) {
        case .passed: break
        case .skipped(let reason): Issue.record("\(row.scenario.id) is skipped: \(reason)")
        case .failed(let mismatches):
            for mismatch in mismatches {
                Issue.record("\(row.scenario.id): \(mismatch.what): expected \(mismatch.expected), got \(mismatch.got)")
            }
        }
    }
}

/// A scenario, named for logs.
struct ScenarioRow: Sendable, CustomTestStringConvertible {
    let scenario: Scenario

    var testDescription: String { scenario.id }

    static func all() throws -> [ScenarioRow] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "jsonl" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .flatMap { try Scenario.load($0).map { ScenarioRow(scenario: try $0.1.get()) } }
    }
}
