// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of the errors of this module.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// Why an authentication failed or cannot be tried.
///
/// Bridged like Apple's: an `NSError` of the domain casts to it, and `catch LAError.userCancel` matches one.
public struct LAError: _BridgedStoredNSError {
    /// The error as Foundation's object.
    public let _nsError: NSError

    /// An error from Foundation's object, which must be of the domain.
    public init(_nsError error: NSError) {
        precondition(error.domain == LAErrorDomain, "not an error of LocalAuthentication")
        _nsError = error
    }

    /// The domain of these errors.
    public static var _nsErrorDomain: String { LAErrorDomain }

    /// The domain of these errors.
    public static var errorDomain: String { LAErrorDomain }

    /// The codes, as Apple numbers them.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error type that this is the code of.
        public typealias _ErrorType = LAError

        /// The shown biometry or the typed text was wrong.
        case authenticationFailed = -1
        /// The user cancelled.
        case userCancel = -2
        /// The user chose the fallback.
        case userFallback = -3
        /// The system cancelled.
        case systemCancel = -4
        /// The device has no passcode.
        case passcodeNotSet = -5
        /// The device has no biometry that could be used.
        case biometryNotAvailable = -6
        /// Nothing is enrolled.
        case biometryNotEnrolled = -7
        /// Too many failed tries of biometry.
        case biometryLockout = -8
        /// The program invalidated the context while it was in use.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        /// No companion device is near.
        case companionNotAvailable = -11
        /// The accessory with the sensor is not paired.
        case biometryNotPaired = -12
        /// The accessory with the sensor is not connected.
        case biometryDisconnected = -13
        /// The dimensions of an embedded view are not right.
        case invalidDimensions = -14
        /// A prompt was not allowed.
        case notInteractive = -1004

        /// The older name of ``biometryNotAvailable``.
        public static let touchIDNotAvailable = Code.biometryNotAvailable
        /// The older name of ``biometryNotEnrolled``.
        public static let touchIDNotEnrolled = Code.biometryNotEnrolled
        /// The older name of ``biometryLockout``.
        public static let touchIDLockout = Code.biometryLockout
        /// The older name of ``companionNotAvailable``.
        public static let watchNotAvailable = Code.companionNotAvailable
    }

    /// The shown biometry or the typed text was wrong.
    public static var authenticationFailed: Code { .authenticationFailed }
    /// The user cancelled.
    public static var userCancel: Code { .userCancel }
    /// The user chose the fallback.
    public static var userFallback: Code { .userFallback }
    /// The system cancelled.
    public static var systemCancel: Code { .systemCancel }
    /// The device has no passcode.
    public static var passcodeNotSet: Code { .passcodeNotSet }
    /// The device has no biometry that could be used.
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    /// Nothing is enrolled.
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    /// Too many failed tries of biometry.
    public static var biometryLockout: Code { .biometryLockout }
    /// The program invalidated the context while it was in use.
    public static var appCancel: Code { .appCancel }
    /// The context was invalidated before.
    public static var invalidContext: Code { .invalidContext }
    /// No companion device is near.
    public static var companionNotAvailable: Code { .companionNotAvailable }
    /// The accessory with the sensor is not paired.
    public static var biometryNotPaired: Code { .biometryNotPaired }
    /// The accessory with the sensor is not connected.
    public static var biometryDisconnected: Code { .biometryDisconnected }
    /// The dimensions of an embedded view are not right.
    public static var invalidDimensions: Code { .invalidDimensions }
    /// A prompt was not allowed.
    public static var notInteractive: Code { .notInteractive }
    /// The older name of ``biometryNotAvailable``.
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }
    /// The older name of ``biometryNotEnrolled``.
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
    /// The older name of ``biometryLockout``.
    public static var touchIDLockout: Code { .biometryLockout }
    /// The older name of ``companionNotAvailable``.
    public static var watchNotAvailable: Code { .companionNotAvailable }
}

// Without this a cast of an NSError to LAError compiles on Linux and never succeeds.
extension LAError: _ObjectiveCBridgeable {
    /// Returns Foundation's object.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Creates the error from an object of the domain; anything else is a programming error.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        result = LAError(_nsError: source)
    }

    /// Makes the error from an object of the domain.
    @discardableResult
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        guard source.domain == LAErrorDomain else { return false }
        result = LAError(_nsError: source)
        return true
    }

    /// Creates the error from an object of the domain; anything else is a programming error.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        guard let source else { preconditionFailure("there is no error to bridge") }
        return LAError(_nsError: source)
    }
}
