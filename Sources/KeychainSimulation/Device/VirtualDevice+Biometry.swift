// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainProtection

extension VirtualDevice {
    /// The sensor that a device has.
    public enum Sensor: String, Sendable, Hashable, CaseIterable {
        /// None.
        case none
        /// Face ID.
        case faceID
        /// Touch ID.
        case touchID
        /// Optic ID.
        case opticID
    }

    /// Enrols another face or finger: what `.biometryCurrentSet` guards is out of reach from now on.
    ///
    /// A device without a sensor stays as it is.
    public func enrollBiometry() {
        guard owner.authenticator.biometry.kind != .none else { return }
        owner.authenticator.biometry.enrolledSet = Self.anotherSet
        owner.endLockout()
    }

    /// Removes every face and finger.
    public func removeBiometry() { owner.authenticator.biometry.enrolledSet = nil }

    /// Whether too many tries failed, so that the passcode has to come first.
    ///
    /// It becomes true by itself after ``Owner/recognitionLimit`` failed tries in a row, and false by the right
    /// passcode.
    public var isBiometryLockedOut: Bool {
        get { owner.authenticator.biometry.isLockedOut }
        set {
            if newValue { owner.authenticator.biometry.isLockedOut = true } else { owner.endLockout() }
        }
    }

    static func biometry(_ sensor: Sensor) -> Biometry {
        let kind: Biometry.Kind =
            switch sensor {
            case .none: .none
            case .faceID: .faceID
            case .touchID: .touchID
            case .opticID: .opticID
            }
        return Biometry(kind, enrolledSet: kind == .none ? nil : anotherSet)
    }

    /// A set like no other: what one device guards by its faces and fingers, those of another do not open.
    private static var anotherSet: Bytes16 { SystemRandomSource().bytes16() }
}
