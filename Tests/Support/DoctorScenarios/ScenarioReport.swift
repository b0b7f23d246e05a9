// SPDX-License-Identifier: Apache-2.0

/// What became of many scenarios, in lines for people.
package struct ScenarioReport: Sendable {
    private var passed = 0
    private var failed = 0
    private var skipped = 0
    /// Each scenario that failed, with what was expected and what it got; each that was skipped, with the reason.
    package private(set) var details: [String] = []

    package init() {}

    package mutating func add(_ scenario: Scenario, _ outcome: ScenarioRunner.Outcome) {
        switch outcome {
        case .passed: passed += 1
        case .skipped(let reason):
            skipped += 1
            details.append("skipped \(scenario.id): \(reason)")
        case .failed(let mismatches):
            failed += 1
            details.append("failed \(scenario.id): \(scenario.title)")
            for mismatch in mismatches {
                details.append("    \(mismatch.what)")
                details.append("        expected \(mismatch.expected)")
                details.append("        got      \(mismatch.got)")
            }
        }
    }

    /// A line that is no scenario counts as failed.
    package mutating func addUnreadable(_ place: String, _ defect: Scenario.Defect) {
        failed += 1
        details.append("failed \(place): \(defect)")
    }

    package var isClean: Bool { failed == 0 }

    package var summary: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
}
