// SPDX-License-Identifier: Apache-2.0

/// What became of many cases, in lines for people.
package struct Report: Sendable {
    private var passed = 0
    private var failures: [(case: Case, failure: Failure)] = []
    private var unreadable: [CaseFileError] = []

    package init() {}

    /// Takes note of one case and what became of it.
    package mutating func add(_ testCase: Case, _ outcome: Outcome) {
        switch outcome {
        case .passed: passed += 1
        case .failed(let failure): failures.append((testCase, failure))
        }
    }

    /// Takes note of a line that is no case, which counts as failed.
    package mutating func add(_ error: CaseFileError) { unreadable.append(error) }

    /// Whether nothing failed.
    package var isClean: Bool { failedCount == 0 }

    private var failedCount: Int { failures.count + unreadable.count }

    /// Each failed case with its step.
    package var details: [String] {
        unreadable.map { "failed \($0)" }
            + failures.flatMap { testCase, failure in
                ["failed \(testCase.id): \(testCase.title)"] + Self.lines(failure)
            }
    }

    /// For example `310 passed, 0 failed`.
    package var summary: String { "\(passed) passed, \(failedCount) failed" }

    private static func lines(_ failure: Failure) -> [String] {
        let place = failure.step.map { "step \($0 + 1) (\(failure.operation))" } ?? failure.operation
        return ["    \(place)", "        expected \(failure.expected)", "        got      \(failure.got)"]
    }
}
