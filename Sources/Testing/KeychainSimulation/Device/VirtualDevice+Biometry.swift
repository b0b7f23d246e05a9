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

    /// Enrols another face or finger: items under `.biometryCurrentSet` become inaccessible.
    ///
    /// It has no effect on a device without a sensor.
    public func enrollBiometry() {
        guard owner.authenticator.biometry.kind != .none else { return }
        owner.authenticator.biometry.enrolledSet = Self.anotherSet
        owner.endLockout()
    }

    /// Removes every face and finger.
    public func removeBiometry() { owner.authenticator.biometry.enrolledSet = nil }

    /// Whether biometry is locked out after too many failed attempts, until the passcode is entered.
    ///
    /// It becomes true after ``Owner/recognitionLimit`` consecutive failed attempts, and false when the right passcode
    /// is entered.
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

    /// A unique set: items that are guarded by the faces and fingers of one device do not open with those of another.
    private static var anotherSet: Bytes16 { SystemRandomSource().bytes16() }
}
