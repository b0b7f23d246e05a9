// SPDX-License-Identifier: Apache-2.0

import HostFiles
package import KeychainCore
package import KeychainEngine
import KeychainProtection

/// A device for one test: it can be locked, rebooted and erased, and its owner and its clock do what the test says.
///
/// Nothing of it outlives the object. Thread-safe. What a device does follows Semantics, "Data protection".
///
/// ```swift
/// let device = try VirtualDevice()
/// let app = device.install("com.example.app", team: "TEAMID1234")
/// let status = app.run { SecItemAdd(query, nil) }
/// try device.lock()
/// ```
public final class VirtualDevice: Sendable {
    /// What the device is: it does not change.
    public let platform: Platform

    /// The clock of the device.
    public let clock: VirtualClock

    /// Who owns the device: what is answered when it asks, and what it asked.
    public let owner: Owner

    /// What its apps asked of the keychain.
    public let calls = CallLog()

    /// What goes wrong at the calls of its apps.
    public let faults = Faults()

    /// The keychain of the device, the same one for as long as there is the device.
    package let keychain: EmbeddedKeychain

    /// What serves the calls of the apps, and of whoever handles the device; the same for as long as there is the
    /// device.
    package let backend: any KeychainBackend

    /// The folder that the keychain's own one lies in; `nil` for a keychain in memory.
    let folder: DeviceFolder?

    let condition = Guarded(ConditionInForce())

    /// The test in which it was made; `nil` where that is not known.
    let scope = TestScope.current

    /// Makes a device with an empty keychain, unlocked.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - passcode: its passcode; `nil` for none.
    ///   - sensor: what its owner can be recognized by; one face or finger is enrolled.
    ///   - storage: where its keychain lies.
    /// - Throws: ``VirtualDeviceError`` for an empty passcode, and when no folder can be made.
    public convenience init(
        _ platform: Platform = .iOS,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory
    ) throws(VirtualDeviceError) {
        try self.init(platform, passcode: passcode, biometry: sensor, storage: storage, transport: .direct)
    }

    /// A device whose keychain is reached in a certain way.
    package init(
        _ platform: Platform = .iOS,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory,
        transport: DeviceTransport
    ) throws(VirtualDeviceError) {
        self.platform = platform
        clock = VirtualClock()
        owner = Owner(Self.biometry(sensor), hiddenPasscode: platform.hiddenPasscode ?? "")
        var options = Self.options(platform, owner, clock)
        options.authenticator = transport.authenticator(options.authenticator)
        switch storage {
        case .memory:
            folder = nil
            keychain = try Self.keychain(passcode: passcode ?? platform.hiddenPasscode, options, clock)
            backend = transport.backend(keychain)
            owner.passcode = passcode
        case .file:
            let folder = try DeviceFolder()
            self.folder = folder
            keychain = EmbeddedKeychain(at: Self.location(folder), device: options, clock: clock.dates)
            backend = transport.backend(keychain)
            if let passcode { try setPasscode(passcode) } else { try hidePasscode() }
        }
    }

    private static func keychain(
        passcode: String?,
        _ options: DeviceOptions,
        _ clock: VirtualClock
    ) throws(VirtualDeviceError) -> EmbeddedKeychain {
        guard let passcode else { return .inMemory(device: options, clock: clock.dates) }
        do throws(KeychainError) {
            return try .inMemory(passcode: secret(passcode), device: options, clock: clock.dates)
        } catch {
            throw VirtualDeviceError(error)
        }
    }

    /// The passcode of a device that is made without saying which.
    public static let defaultPasscode = "1234"

    /// Another process at the same keychain: it has no keys until it unlocks for itself.
    ///
    /// - Throws: ``VirtualDeviceError`` for a keychain in memory.
    package func anotherProcess() throws(VirtualDeviceError) -> EmbeddedKeychain {
        guard let folder else {
            throw VirtualDeviceError(.parameter("a keychain in memory is that of one process"))
        }
        return EmbeddedKeychain(
            at: Self.location(folder),
            device: Self.options(platform, owner, clock),
            clock: clock.dates
        )
    }

    static func location(_ folder: DeviceFolder) -> KeychainLocation {
        KeychainLocation(path: folder.path(of: "keychain"))
    }

    private static func options(_ platform: Platform, _ owner: Owner, _ clock: VirtualClock) -> DeviceOptions {
        var options = DeviceOptions(authenticator: owner.authenticator, hostClock: clock.host)
        options.passwordWork = .least
        options.personality = platform == .simulator ? .simulator : .device
        options.onEvent = { [weak owner] event in owner?.note(event) }
        return options
    }
}

extension VirtualDevice {
    /// What a device is.
    public enum Platform: String, Sendable, Hashable, CaseIterable {
        /// A phone or a tablet.
        case iOS
        /// A Mac, with the front end that macOS has before the data protection keychain (Semantics, "Keys that the
        /// macOS front end removes").
        case macOS
        /// The simulator of iOS, which enforces nothing.
        ///
        /// It locks and reboots, and takes no item away; levels that ask for a passcode work without one and outlive
        /// its removal; guarded items and keys are used without asking.
        case simulator

        /// The passcode that the keychain of a simulator has when the test gives it none, for the keys of every level
        /// to be there.
        var hiddenPasscode: String? { self == .simulator ? "there is always one" : nil }
    }

    /// Where the keychain of a device lies.
    public enum Storage: String, Sendable, Hashable, CaseIterable {
        /// In memory.
        case memory
        /// In files, in a private folder that goes away with the device.
        case file
    }
}
