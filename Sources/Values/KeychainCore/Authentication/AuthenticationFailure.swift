// SPDX-License-Identifier: Apache-2.0

/// How an authentication ends that does not succeed, by the codes of Apple's `LAError`.
package enum AuthenticationFailure: Int, Error, Sendable, Hashable, CaseIterable {
    /// The shown or typed credential was wrong.
    case authenticationFailed = -1
    /// The user cancelled.
    case userCancel = -2
    /// The user chose the fallback, but there is none.
    case userFallback = -3
    /// The system cancelled, for example because a prompt's time was over.
    case systemCancel = -4
    /// The device has no passcode.
    case passcodeNotSet = -5
    /// There is no usable biometry.
    case biometryNotAvailable = -6
    /// Nothing is enrolled.
    case biometryNotEnrolled = -7
    /// Too many failed tries of biometry.
    case biometryLockout = -8
    /// The program invalidated the context meanwhile.
    case appCancel = -9
    /// The context was invalidated before.
    case invalidContext = -10
    /// No companion device is near.
    case companionNotAvailable = -11
    /// Prompts were not allowed, or are impossible.
    case notInteractive = -1004
}

extension KeychainError {
    /// The status of a failed authentication (Semantics, "Access control").
    package init(_ failure: AuthenticationFailure) {
        let (status, reason): (Status, String) =
            switch failure {
            case .userCancel: (.userCanceled, "the authentication was cancelled")
            case .notInteractive:
                (.interactionNotAllowed, "authentication is required, but interaction is not allowed or not possible")
            default: (.authenticationFailed, "the authentication failed")
            }
        self.init(status, reason, kind: .authentication(failure))
    }
}
