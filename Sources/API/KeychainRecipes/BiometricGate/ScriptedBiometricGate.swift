// SPDX-License-Identifier: Apache-2.0

/// A gate for tests: returns scripted outcomes, and records the reasons.
public actor ScriptedBiometricGate: BiometricGate {
    private var answers: [BiometricOutcome]
    private var enrolled: BiometricEnrolment?

    /// The reasons of all questions so far.
    public private(set) var reasons: [String] = []

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - answers: the outcomes of the questions, in order; after the last one no prompt is possible.
    ///   - enrolment: the enrolment; `nil` if it is unknown.
    public init(_ answers: [BiometricOutcome], enrolment: BiometricEnrolment? = nil) {
        self.answers = answers
        enrolled = enrolment
    }

    /// Sets who is enrolled.
    public func enrol(_ enrolment: BiometricEnrolment?) { enrolled = enrolment }

    /// Returns the next outcome; ``BiometricOutcome/notInteractive`` if there is none left, never a pass.
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

    /// The scripted enrolment.
    public func enrolment() async -> BiometricEnrolment? { enrolled }
}
