// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Keychain
import PortableLocalAuthentication
import PortableSecurity

/// Why a device key could not be created, read or used.
public struct DeviceKeyError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The device is locked, or interaction is not allowed: the key exists, try again later.
        case locked
        /// The user cancelled.
        case cancelled
        /// The user did not meet the key's access control.
        case authenticationFailed
        /// There is a key of that name: it is not replaced.
        case alreadyExists
        /// The key of that name is of the other purpose.
        case otherPurpose
        /// The record in the keychain is not one of a device key.
        case malformed
        /// The key is of another device, or of this one before it was erased: it can never be used here. Enrol a new
        /// one.
        case noLongerOpens
        /// There is no Secure Enclave here, and a software key was declined, or the key is in one.
        case noEnclave
        /// The protection would allow the key on another device.
        case notThisDeviceOnly
        /// The key to be replaced is not the one in the keychain any more.
        case replacedMeanwhile
        /// The keychain failed, or the use of the key did.
        case failed
    }

    /// The kind of failure.
    public let reason: Reason

    /// The name of the key.
    public let name: String

    /// The recorded public key in X9.63 form, if there is one: a server has to forget it before a new one is enrolled.
    public let publicKey: Data?

    /// The error underneath.
    public let cause: (any Error)?

    init(_ reason: Reason, _ name: String, publicKey: Data? = nil, cause: (any Error)? = nil) {
        self.reason = reason
        self.name = name
        self.publicKey = publicKey
        self.cause = cause
    }

    /// The error of a keychain that failed.
    init(_ error: KeychainItemError, _ name: String) {
        let reason: Reason =
            switch error.kind {
            case .locked, .authenticationRequired: .locked
            case .cancelled: .cancelled
            case .authenticationFailed: .authenticationFailed
            case .duplicate: .alreadyExists
            case .undecodableValue, .damaged: .malformed
            default: .failed
            }
        self.init(reason, name, cause: error)
    }

    /// Creates the error of a key that was not opened or used.
    ///
    /// The last parameter is the reason for other errors.
    init(use error: any Error, _ name: String, _ publicKey: Data, otherwise: Reason) {
        let cause = error as NSError
        let reason: Reason? =
            switch (cause.domain, cause.code) {
            case (NSOSStatusErrorDomain, Int(errSecInteractionNotAllowed)): .locked
            case (NSOSStatusErrorDomain, Int(errSecUserCanceled)): .cancelled
            case (NSOSStatusErrorDomain, Int(errSecAuthFailed)): .authenticationFailed
            // Only this status: a medium or a service that fails temporarily must not cost the user a key.
            case (NSOSStatusErrorDomain, Int(errSecDecode)): .noLongerOpens
            case (LAErrorDomain, LAError.Code.notInteractive.rawValue): .locked
            case (LAErrorDomain, LAError.Code.userCancel.rawValue), (LAErrorDomain, LAError.Code.appCancel.rawValue),
                (LAErrorDomain, LAError.Code.systemCancel.rawValue):
                .cancelled
            case (LAErrorDomain, _): .authenticationFailed
            default: nil
            }
        self.init(reason ?? otherwise, name, publicKey: publicKey, cause: error)
    }

    /// One line; nothing secret.
    public var description: String {
        let sentence =
            switch reason {
            case .locked:
                "the device is locked, or interaction is not allowed; try again later, and do not make another key"
            case .cancelled: "it was cancelled"
            case .authenticationFailed: "the user did not meet the key's access control"
            case .alreadyExists: "there is one, which is not replaced"
            case .otherPurpose: "it is a key of the other purpose"
            case .malformed: "the item in the keychain is no device key"
            case .noLongerOpens: "it belongs to another device, or to this one before it was erased; enrol a new one"
            case .noEnclave: "there is no Secure Enclave here"
            case .notThisDeviceOnly: "its protection has to be one that stays on this device"
            case .replacedMeanwhile: "another key has taken its place"
            case .failed: cause.map { "\($0)" } ?? "it failed"
            }
        return "device key '\(name)': \(sentence)"
    }
}
