// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension LAError {
    /// The error of a failed authentication, with a text.
    init(_ failure: AuthenticationFailure, _ text: String? = nil) {
        let text = text ?? failure.text
        self.init(Code(failure), userInfo: [NSLocalizedDescriptionKey: text, NSLocalizedFailureReasonErrorKey: text])
    }
}

extension LAError.Code {
    fileprivate init(_ failure: AuthenticationFailure) {
        self =
            switch failure {
            case .authenticationFailed: .authenticationFailed
            case .userCancel: .userCancel
            case .userFallback: .userFallback
            case .systemCancel: .systemCancel
            case .passcodeNotSet: .passcodeNotSet
            case .biometryNotAvailable: .biometryNotAvailable
            case .biometryNotEnrolled: .biometryNotEnrolled
            case .biometryLockout: .biometryLockout
            case .appCancel: .appCancel
            case .invalidContext: .invalidContext
            case .companionNotAvailable: .companionNotAvailable
            case .notInteractive: .notInteractive
            }
    }
}

extension AuthenticationFailure {
    /// A human-readable description.
    fileprivate var text: String {
        switch self {
        case .authenticationFailed: "The authentication failed."
        case .userCancel: "The authentication was cancelled by the user."
        case .userFallback: "The user chose the fallback."
        case .systemCancel: "The authentication was cancelled by the system."
        case .passcodeNotSet: "No passcode is set on this device."
        case .biometryNotAvailable: "Biometry is not available on this device."
        case .biometryNotEnrolled: "Nothing is enrolled for biometry."
        case .biometryLockout: "Biometry is locked out; the passcode has to be given first."
        case .appCancel: "The authentication was cancelled by the application."
        case .invalidContext: "The context was invalidated."
        case .companionNotAvailable: "No companion device is available."
        case .notInteractive: "Authentication is required, but interaction is not allowed or not possible."
        }
    }
}
