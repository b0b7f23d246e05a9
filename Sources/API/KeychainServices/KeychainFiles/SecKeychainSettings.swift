// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// When a keychain file locks automatically.
public struct SecKeychainSettings: Sendable, Hashable {
    /// `SEC_KEYCHAIN_SETTINGS_VERS1`.
    public var version: UInt32
    /// Whether it locks when the host goes to sleep.
    public var lockOnSleep: Bool
    /// Has no effect: ``lockInterval`` alone counts.
    public var useLockInterval: Bool
    /// After how many seconds without use it locks; `UInt32.max` for never.
    public var lockInterval: UInt32

    /// Settings; by default none that locks.
    public init(
        version: UInt32 = UInt32(SEC_KEYCHAIN_SETTINGS_VERS1),
        lockOnSleep: Bool = false,
        useLockInterval: Bool = false,
        lockInterval: UInt32 = .max
    ) {
        self.version = version
        self.lockOnSleep = lockOnSleep
        self.useLockInterval = useLockInterval
        self.lockInterval = lockInterval
    }

    init(_ settings: KeychainFileSettings) {
        self.init(
            lockOnSleep: settings.locksOnSleep,
            useLockInterval: settings.lockInterval != nil,
            lockInterval: settings.lockInterval.map { UInt32(clamping: $0) } ?? .max
        )
    }

    var value: KeychainFileSettings {
        KeychainFileSettings(
            locksOnSleep: lockOnSleep,
            lockInterval: lockInterval == .max || lockInterval == 0 ? nil : Int(lockInterval)
        )
    }
}

/// The version of ``SecKeychainSettings``.
public let SEC_KEYCHAIN_SETTINGS_VERS1: Int32 = 1

/// Flags of the state of a keychain.
public typealias SecKeychainStatus = UInt32

/// The keychain is unlocked.
public let kSecUnlockStateStatus: SecKeychainStatus = 1
/// The keychain can be read.
public let kSecReadPermStatus: SecKeychainStatus = 2
/// The keychain can be written.
public let kSecWritePermStatus: SecKeychainStatus = 4
