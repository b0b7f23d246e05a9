// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A tree's result for a call.
package struct Diagnosis: Sendable {
    /// The verdict.
    package var verdict: VerdictID
    /// The steps of the trees on the way to it.
    package var path: [String]
    /// Other verdicts that apply.
    package var also: [VerdictID] = []
    /// The subject of the verdict.
    package var names = VerdictNames()
    /// How sure it is, from 0 to 1.
    package var confidence: Double
    /// At most three lines of evidence.
    package var because: [String] = []
    /// The item that it is about.
    package var candidate: Candidate?

    init(
        _ verdict: VerdictID,
        path: [String],
        names: [VerdictNames.Key: [String]] = [:],
        confidence: Double = VerdictConfidence.computed,
        because: [String] = [],
        about candidate: Candidate? = nil
    ) {
        self.verdict = verdict
        self.path = path
        self.names = VerdictNames(names)
        self.confidence = confidence
        self.because = because
        self.candidate = candidate
    }

    func adding(_ verdicts: [VerdictID]) -> Diagnosis {
        var diagnosis = self
        for verdict in verdicts where verdict != self.verdict && !diagnosis.also.contains(verdict) {
            diagnosis.also.append(verdict)
        }
        return diagnosis
    }

    /// The diagnosis as one to which the steps of another tree led.
    func after(_ steps: [String]) -> Diagnosis {
        var diagnosis = self
        diagnosis.path = steps + path
        return diagnosis
    }
}

/// How sure a verdict is.
enum VerdictConfidence {
    /// One minimal relaxation of one predicate leads to exactly one item; or the dictionary alone decides.
    static let certain = 0.95
    /// Computed from given facts.
    static let computed = 0.8
    /// An input was assumed.
    static let assumed = 0.6
    /// A guess without a history, or a question.
    static let guess = 0.4
}
