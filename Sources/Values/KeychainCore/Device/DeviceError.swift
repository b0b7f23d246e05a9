// SPDX-License-Identifier: Apache-2.0

/// Why a device refused: a kind of ``KeychainError``, which carries the status.
package enum DeviceError: Sendable, Hashable {
    /// No passcode is set, so there is nothing to lock, verify or remove.
    case noPasscode
    /// A passcode is set already; it can be changed.
    case passcodeAlreadySet
    /// A passcode must have at least one byte.
    case emptyPasscode
    /// The passcode was wrong; with the number of consecutive failures, and the delay in seconds before the next
    /// attempt.
    case wrongPasscode(failedAttempts: Int, secondsUntilNextAttempt: Double)
    /// After wrong passcodes the next one is not looked at yet.
    case attemptTooSoon(secondsUntilNextAttempt: Double)
    /// The passcode was wrong once too often: the device erased itself.
    case erased
    /// The required keys are not available while the device is locked.
    case locked
    /// A policy with a number that is not above 0.
    case unusablePolicy
    /// The store has no recovery key.
    case noRecoveryKey
    /// The recovery key is not that of the store, or an earlier one.
    case wrongRecoveryKey
}

extension DeviceError {
    /// For commands: what helps where a passcode was refused because it is forgotten; `nil` for any other refusal.
    package var remedyIfForgotten: String? {
        switch self {
        case .wrongPasscode, .attemptTooSoon:
            """
            if the passcode is forgotten, a recovery key sets another one ('keychainctl recovery-key use'); without one, \
            erase the device ('keychainctl device erase'; in the system service, root does that, and it says how) and \
            restore a backup ('keychainctl backup restore FILE')
            """
        default: nil
        }
    }
}

extension KeychainError {
    /// The refusal of a device, with the status that an item function would answer.
    package init(_ error: DeviceError) {
        let (status, reason): (Status, String) =
            switch error {
            case .noPasscode: (.notAvailable, "no passcode is set")
            case .passcodeAlreadySet: (.parameter, "a passcode is set already; change it instead")
            case .emptyPasscode: (.parameter, "the passcode is empty")
            case .wrongPasscode: (.authenticationFailed, "the passcode is wrong")
            case .attemptTooSoon(let seconds):
                (
                    .authenticationFailed,
                    "after wrong passcodes, the next attempt is allowed in \(Int(seconds.rounded(.up))) seconds"
                )
            case .erased: (.authenticationFailed, "too many wrong passcodes: the device erased itself")
            case .locked: (.interactionNotAllowed, "the device is locked")
            case .unusablePolicy: (.parameter, "a policy takes numbers above 0")
            case .noRecoveryKey: (.notAvailable, "there is no recovery key")
            case .wrongRecoveryKey:
                (
                    .authenticationFailed,
                    "the recovery key does not open this keychain: it is that of another one, or an earlier one"
                )
            }
        self.init(status, reason, kind: .device(error))
    }
}
