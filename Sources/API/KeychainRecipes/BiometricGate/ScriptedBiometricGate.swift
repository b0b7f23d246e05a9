// SPDX-License-Identifier: Apache-2.0

/// A gate for tests: answers what it was told to, and remembers what it was asked.
public actor ScriptedBiometricGate: BiometricGate {
    private var answers: [BiometricOutcome]
    private var enrolled: BiometricEnrolment?

    /// The reasons of all questions so far.
    public private(set) var reasons: [String] = []

    /// A gate.
    ///
    /// - Parameters:
    ///   - answers: the outcomes of the questions, one after the other; after the last one no prompt is possible.
    ///   - enrolment: who is enrolled; `nil` when it cannot be said.
    public init(_ answers: [BiometricOutcome], enrolment: BiometricEnrolment? = nil) {
        self.answers = answers
        enrolled = enrolment
    }

    /// Sets who is enrolled.
    public func enrol(_ enrolment: BiometricEnrolment?) { enrolled = enrolment }

    /// Takes the next answer; ``BiometricOutcome/notInteractive`` when there is none left, never a pass.
    public func ask(reason: String) async -> BiometricOutcome {
        reasons.append(reason)
        return answers.isEmpty ? .notInteractive : answers.removeFirst()
    }

    /// The next answer if it is a state of the device; `nil` if it is something that only asking shows.
    public func obstacle() async -> BiometricOutcome? {
        switch answers.first {
        case .lockedOut, .notEnrolled, .notAvailable, .passcodeNotSet: answers.first
        case nil: .notInteractive
        default: nil
        }
    }

    /// Who was said to be enrolled.
    public func enrolment() async -> BiometricEnrolment? { enrolled }
}
