// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// The required authentication, with Apple's numbers.
public enum LAPolicy: Int, Sendable {
    /// Biometry.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// Biometry, a companion or the passcode.
    case deviceOwnerAuthentication = 2
    /// A companion device.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// Biometry or a companion device.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
    /// The passcode of a watch, or that it is worn.
    case deviceOwnerAuthenticationWithWristDetection = 5

    /// The older name of ``deviceOwnerAuthenticationWithCompanion``.
    public static let deviceOwnerAuthenticationWithWatch = LAPolicy.deviceOwnerAuthenticationWithCompanion
    /// The older name of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
    public static let deviceOwnerAuthenticationWithBiometricsOrWatch =
        LAPolicy.deviceOwnerAuthenticationWithBiometricsOrCompanion

    /// Whether biometry alone satisfies it; there are no companion devices.
    var isBiometric: Bool { demand == .biometrics || demand == .biometricsOrCompanion }

    /// The same without Apple's names.
    var demand: AuthenticationPolicy {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics: .biometrics
        case .deviceOwnerAuthentication: .deviceOwner
        case .deviceOwnerAuthenticationWithCompanion: .companion
        case .deviceOwnerAuthenticationWithBiometricsOrCompanion: .biometricsOrCompanion
        case .deviceOwnerAuthenticationWithWristDetection: .wristDetection
        }
    }
}

/// A kind of biometry, as Apple numbers it.
public enum LABiometryType: Int, Sendable {
    /// There is no biometry.
    case none = 0
    /// A fingerprint.
    case touchID = 1
    /// A face.
    case faceID = 2
    /// An iris.
    case opticID = 4

    /// The older name of ``none``.
    public static let LABiometryNone = LABiometryType.none

    init(_ kind: Biometry.Kind) {
        self =
            switch kind {
            case .none: .none
            case .touchID: .touchID
            case .faceID: .faceID
            case .opticID: .opticID
            }
    }
}

/// A kind of credential that a program supplies, as Apple numbers it.
public enum LACredentialType: Int, Sendable {
    /// A password of the application.
    case applicationPassword = 0
    /// The PIN of a smart card.
    case smartCardPIN = -3
}

/// The operation for which an access control is evaluated, with Apple's numbers.
public enum LAAccessControlOperation: Int, Sendable {
    /// Making an item.
    case createItem = 0
    /// Reading an item.
    case useItem = 1
    /// Making a key.
    case createKey = 2
    /// Signing with a key.
    case useKeySign = 3
    /// Decrypting with a key.
    case useKeyDecrypt = 4
    /// Agreeing on a key with a key.
    case useKeyKeyExchange = 5

    /// Whether an existing item or key is used.
    var isUse: Bool { self != .createItem && self != .createKey }
}

/// The longest time in seconds for which an earlier unlock by biometry may count: five minutes.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval =
    AuthenticationContext.Settings.longestReuseSeconds
