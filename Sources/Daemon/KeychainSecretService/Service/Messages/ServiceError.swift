// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Why a call is refused: an error of the Secret Service API, or one of D-Bus.
///
/// Its text is constant, so that it tells a program nothing of what it may not see.
enum ServiceError: String, Error, Sendable, Hashable {
    case isLocked = "org.freedesktop.Secret.Error.IsLocked"
    case noSession = "org.freedesktop.Secret.Error.NoSession"
    case noSuchObject = "org.freedesktop.Secret.Error.NoSuchObject"
    case notSupported = "org.freedesktop.DBus.Error.NotSupported"
    case invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    case unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
    case unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
    case unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
    case unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
    case readOnlyProperty = "org.freedesktop.DBus.Error.PropertyReadOnly"
    case limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
    case accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    case failed = "org.freedesktop.DBus.Error.Failed"

    /// For people.
    var text: String {
        switch self {
        case .isLocked: "The item or the collection is locked."
        case .noSession: "There is no such session of this connection."
        case .noSuchObject: "There is no such object."
        case .notSupported: "This is not supported."
        case .invalidArguments: "The arguments are not valid."
        case .unknownMethod: "The object has no such method."
        case .unknownObject: "There is no such object."
        case .unknownInterface: "The object has no such interface."
        case .unknownProperty: "The interface has no such property."
        case .readOnlyProperty: "The property cannot be changed."
        case .limitsExceeded: "A limit is reached."
        case .accessDenied: "The program may not do this."
        case .failed: "The keychain cannot do this now."
        }
    }

    /// What a program is told of a keychain's error.
    init(_ error: KeychainError) {
        switch error.status {
        case .interactionNotAllowed, .authenticationFailed, .userCanceled: self = .isLocked
        case .itemNotFound, .noSuchKeychain: self = .noSuchObject
        case .parameter: self = .invalidArguments
        case .missingEntitlement: self = .accessDenied
        case .unimplemented: self = .notSupported
        case .diskFull, .dataTooLarge: self = .limitsExceeded
        case .notAvailable where error.kind == .unavailable: self = .limitsExceeded
        default: self = .failed
        }
    }
}

/// Carries out `body`, and passes on what a program is told of its error.
func asServiceError<Value>(_ body: () throws(KeychainError) -> Value) throws(ServiceError) -> Value {
    do { return try body() } catch { throw ServiceError(error) }
}
