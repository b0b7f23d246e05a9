// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// The levels of protection, by the ends of Apple's names.
enum AccessibleName: String, ExpressibleByArgument, CaseIterable {
    case whenUnlocked = "when-unlocked"
    case afterFirstUnlock = "after-first-unlock"
    case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"
    case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
    case whenPasscodeSetThisDeviceOnly = "when-passcode-set-this-device-only"

    /// All of them, for a message.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    var accessibility: Accessibility {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        }
    }
}
