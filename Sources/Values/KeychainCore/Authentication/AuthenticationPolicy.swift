// SPDX-License-Identifier: Apache-2.0

/// What the user has to authenticate with, numbered as in Apple's `LAPolicy`.
package enum AuthenticationPolicy: Int, Sendable, Hashable, CaseIterable {
    /// Biometry.
    case biometrics = 1
    /// Biometry, or else the passcode.
    case deviceOwner = 2
    /// A companion device.
    case companion = 3
    /// Biometry or a companion device.
    case biometricsOrCompanion = 4
    /// The passcode of a watch, or that it is worn.
    case wristDetection = 5
}
