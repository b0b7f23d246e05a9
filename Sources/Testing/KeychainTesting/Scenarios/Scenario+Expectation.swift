// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
import PortableSecurity

extension Scenario {
    /// The state of an item after the event.
    public enum Expectation: String, Sendable, Hashable, CaseIterable {
        /// It exists, and can be read.
        case isThere
        /// It exists, and cannot be read until the device is unlocked: `errSecInteractionNotAllowed` (-25308).
        case isUnreadableForNow
        /// It exists, keeps its primary key, and can never be read again: `errSecAuthFailed` (-25293).
        ///
        /// An add in its place is `errSecDuplicateItem` (-25299); but an add that requires the enrolled faces or
        /// fingers is also `errSecAuthFailed` while there are none, as after the passcode was removed.
        case isUnreadableForGood
        /// It does not exist any more: `errSecItemNotFound` (-25300).
        case isGone
        /// It is in an access group that the app may not use: `errSecItemNotFound` (-25300), or
        /// `errSecMissingEntitlement` (-34018) for a query that names the group.
        case belongsToSomebodyElse
    }

    /// How an item is protected.
    public enum Protection: String, Sendable, Hashable, CaseIterable {
        /// `kSecAttrAccessibleWhenUnlocked`, the default of an item.
        case whenUnlocked
        /// `kSecAttrAccessibleAfterFirstUnlock`.
        case afterFirstUnlock
        /// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
        case whenUnlockedThisDeviceOnly
        /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
        case afterFirstUnlockThisDeviceOnly
        /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
        case whenPasscodeSet
        /// `.biometryCurrentSet` over `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
        case biometryCurrentSet

        /// The attributes for an add.
        public var attributes: [String: Any] {
            switch self {
            case .whenUnlocked: [kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked]
            case .afterFirstUnlock: [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]
            case .whenUnlockedThisDeviceOnly:
                [kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlockedThisDeviceOnly]
            case .afterFirstUnlockThisDeviceOnly:
                [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
            case .whenPasscodeSet: [kSecAttrAccessible as String: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
            case .biometryCurrentSet:
                SecAccessControlCreateWithFlags(
                    nil,
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    .biometryCurrentSet,
                    nil
                ).map { [kSecAttrAccessControl as String: $0] } ?? [:]
            }
        }

        var isForThisDevice: Bool { self != .whenUnlocked && self != .afterFirstUnlock }

        var isAfterFirstUnlock: Bool { self == .afterFirstUnlock || self == .afterFirstUnlockThisDeviceOnly }
    }

    /// The state of an item that was added without a protection, on iOS.
    public var expectation: Expectation { expectation(for: .whenUnlocked) }

    /// The state of an item that the app added to its first access group.
    ///
    /// - Parameters:
    ///   - protection: how the item is protected.
    ///   - platform: the platform of the device. On a simulator everything stays readable, and nothing depends on the
    ///     passcode or the enrolment, which hides these errors from a team.
    /// - Returns: the state that the app finds after the event.
    public func expectation(
        for protection: Protection,
        on platform: VirtualDevice.Platform = .default
    ) -> Expectation {
        let isEnforced = platform != .simulator
        switch event {
        case .lock: return isEnforced && !protection.isAfterFirstUnlock ? .isUnreadableForNow : .isThere
        case .reboot: return isEnforced ? .isUnreadableForNow : .isThere
        case .otherAttributes, .reinstallation: return .isThere
        case .lessEntitlements, .otherTeam: return .belongsToSomebodyElse
        case .noPasscode where isEnforced && protection == .whenPasscodeSet: return .isGone
        // Removing the passcode removes the enrolled faces and fingers.
        case .noPasscode: return isEnforced && protection == .biometryCurrentSet ? .isUnreadableForGood : .isThere
        case .otherBiometry: return isEnforced && protection == .biometryCurrentSet ? .isUnreadableForGood : .isThere
        case .otherDevice: return protection.isForThisDevice ? .isGone : .isThere
        }
    }
}
