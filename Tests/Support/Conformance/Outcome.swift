// SPDX-License-Identifier: Apache-2.0

/// How a case ended.
package enum Outcome: Sendable, Equatable {
    case passed
    case failed(Failure)
}

/// The first step of a case that did not go as the case says.
package struct Failure: Sendable, Equatable, CustomStringConvertible {
    /// Counted from 0; `nil` when the case could not be started.
    package var step: Int?
    /// The operation as the case spells it.
    package var operation: String
    /// What the case says, in words.
    package var expected: String
    /// What happened instead, in words; may show secrets, which are test data.
    package var got: String

    package init(step: Int?, operation: String, expected: String, got: String) {
        self.step = step
        self.operation = operation
        self.expected = expected
        self.got = got
    }

    init(step: Int?, operation: String, mismatch: Mismatch) {
        self.init(step: step, operation: operation, expected: mismatch.expected, got: mismatch.got)
    }

    init(step: Int?, operation: String, defect: CaseDefect) {
        self.init(step: step, operation: operation, expected: "a case that can be run", got: defect.reason)
    }

    package var description: String {
        guard let step else { return "\(operation): expected \(expected), got \(got)" }
        return "step \(step + 1) (\(operation)): expected \(expected), got \(got)"
    }
}
