// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The outcome of a biometric prompt.
public enum BiometricOutcome: Sendable, Hashable {
    /// The owner was recognized.
    case passed
    /// The user was not recognized.
    case notRecognized
    /// The user cancelled.
    case cancelled
    /// The user chose another way, such as a password of the program's own.
    case fallback
    /// The system or the program ended the question: a call came, or the task was cancelled.
    case interrupted
    /// Too many failed attempts: the device requires its passcode first.
    case lockedOut
    /// No face or finger is enrolled.
    case notEnrolled
    /// The device has no biometry, or the program may not use it.
    case notAvailable
    /// The device has no passcode, and so no biometry.
    case passcodeNotSet
    /// No prompt is possible now: the program is in the background, or interaction was forbidden.
    case notInteractive
    /// Another error, by its number in the domain of `LAError`; 0 for an error of another domain.
    case other(Int)
}

/// The faces and fingers that are enrolled on a device: opaque, and another value whenever they change.
public struct BiometricEnrolment: Sendable, Hashable, Codable {
    /// The system's value for comparisons; it does not identify a user.
    public var state: Data

    /// An enrolment.
    public init(state: Data) { self.state = state }

    /// How two enrolments differ.
    public enum Change: String, Sendable, Hashable {
        /// They do not.
        case none
        /// A face or a finger was added or removed.
        case changed
        /// It is unknown at the moment.
        case unknown
    }
}
