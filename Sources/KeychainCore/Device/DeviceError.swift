// SPDX-License-Identifier: Apache-2.0

/// Why a device refused: the cause of a ``KeychainError``, which carries the status.
public enum DeviceError: Error, Sendable, Hashable {
    /// No passcode is set, so there is nothing to lock, check or remove.
    case noPasscode
    /// A passcode is set already; it can be changed.
    case passcodeAlreadySet
    /// A passcode must have at least one byte.
    case emptyPasscode
    /// The passcode was wrong. So many were, in a row; the next is looked at after so many seconds.
    case wrongPasscode(failedAttempts: Int, secondsUntilNextAttempt: Double)
    /// After wrong passcodes the next one is not looked at yet.
    case attemptTooSoon(secondsUntilNextAttempt: Double)
    /// The passcode was wrong once too often: the device erased itself.
    case erased
    /// The keys that this needs are not there while the device is locked.
    case locked
    /// A policy with a number that is not above 0.
    case unusablePolicy
}

extension KeychainError {
    /// The refusal of a device, with the status that an item function would answer.
    public init(_ error: DeviceError) {
        switch error {
        case .noPasscode: self.init(.notAvailable, "no passcode is set", cause: error)
        case .passcodeAlreadySet: self.init(.parameter, "a passcode is set already; change it instead", cause: error)
        case .emptyPasscode: self.init(.parameter, "a passcode cannot be empty", cause: error)
        case .wrongPasscode: self.init(.authenticationFailed, "the passcode is wrong", cause: error)
        case .attemptTooSoon(let seconds):
            self.init(
                .authenticationFailed,
                "after wrong passcodes the next is looked at in \(Int(seconds.rounded(.up))) seconds",
                cause: error
            )
        case .erased:
            self.init(.authenticationFailed, "too many wrong passcodes: the device erased itself", cause: error)
        case .locked: self.init(.interactionNotAllowed, "the device is locked", cause: error)
        case .unusablePolicy: self.init(.parameter, "a policy takes numbers above 0", cause: error)
        }
    }
}
