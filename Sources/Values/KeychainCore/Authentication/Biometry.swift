// SPDX-License-Identifier: Apache-2.0

/// The biometry that an authenticator has.
package struct Biometry: Sendable, Hashable {
    /// The kind of biometry.
    package var kind: Kind

    /// Identifies the enrolled set: it differs after each change; `nil` if nothing is enrolled.
    package var enrolledSet: Bytes16?

    /// Whether too many tries failed, so that a passcode has to come first.
    package var isLockedOut: Bool

    /// Biometry of a kind.
    package init(_ kind: Kind, enrolledSet: Bytes16? = nil, isLockedOut: Bool = false) {
        self.kind = kind
        self.enrolledSet = enrolledSet
        self.isLockedOut = isLockedOut
    }

    /// No sensor.
    package static let none = Biometry(.none)

    /// Kinds of biometry, as Apple's `LABiometryType` numbers them.
    package enum Kind: Int, Sendable, Hashable {
        /// There is none.
        case none = 0
        /// A fingerprint.
        case touchID = 1
        /// A face.
        case faceID = 2
        /// An iris.
        case opticID = 4
    }

    /// Why it cannot be used; `nil` when it can.
    package var obstacle: AuthenticationFailure? {
        if kind == .none { return .biometryNotAvailable }
        if enrolledSet == nil { return .biometryNotEnrolled }
        return isLockedOut ? .biometryLockout : nil
    }
}
