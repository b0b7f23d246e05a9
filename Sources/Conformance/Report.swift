// SPDX-License-Identifier: Apache-2.0

/// What became of many cases, in lines for people.
package struct Report: Sendable {
    private var passed = 0
    private var failures: [(case: Case, failure: Failure)] = []
    private var skipped: [(case: Case, capability: Capability)] = []
    private var unreadable: [CaseFileError] = []

    package init() {}

    /// Takes note of one case and what became of it.
    package mutating func add(_ testCase: Case, _ outcome: Outcome) {
        switch outcome {
        case .passed: passed += 1
        case .failed(let failure): failures.append((testCase, failure))
        case .skipped(let capability): skipped.append((testCase, capability))
        }
    }

    /// Takes note of a line that is no case, which counts as failed.
    package mutating func add(_ error: CaseFileError) { unreadable.append(error) }

    /// Whether nothing failed.
    package var isClean: Bool { failedCount == 0 }

    private var failedCount: Int { failures.count + unreadable.count }

    /// How many cases each missing capability skipped; capabilities that skipped none are left out.
    package var skippedByCapability: [Capability: Int] {
        skipped.reduce(into: [:]) { counts, entry in counts[entry.capability, default: 0] += 1 }
    }

    /// Each failed case with its step, each skipped case with its capability.
    package var details: [String] {
        unreadable.map { "failed \($0)" }
            + failures.flatMap { testCase, failure in
                ["failed \(testCase.id): \(testCase.title)"] + Self.lines(failure)
            }
            + skipped.map { testCase, capability in
                "skipped \(testCase.id): \(testCase.title) [\(capability.rawValue)]"
            }
    }

    /// How many cases each capability skipped, for example `12 skipped for want of device`.
    package var skipSummary: [String] {
        let counts = skippedByCapability
        return Capability.allCases.compactMap { capability in
            counts[capability].map { "\($0) skipped for want of \(capability.rawValue)" }
        }
    }

    /// For example `310 passed, 0 failed, 12 skipped`.
    package var summary: String { "\(passed) passed, \(failedCount) failed, \(skipped.count) skipped" }

    private static func lines(_ failure: Failure) -> [String] {
        let place = failure.step.map { "step \($0 + 1) (\(failure.operation))" } ?? failure.operation
        return ["    \(place)", "        expected \(failure.expected)", "        got      \(failure.got)"]
    }
}
