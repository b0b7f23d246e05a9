// SPDX-License-Identifier: Apache-2.0

package import KeychainCore
package import KeychainEngine
import KeychainFiles
import KeychainHost
package import KeychainMacFrontEnd
import KeychainProtection
import KeychainServices
import KeychainTrust

/// A device for one test: it can be locked, rebooted and erased, and the test controls its owner and its clock.
///
/// It leaves nothing behind when the object is deallocated. Thread-safe. Its behaviour follows Semantics, "Data
/// protection".
///
/// ```swift
/// let device = try VirtualDevice()
/// let app = device.install("com.example.app", team: "TEAMID1234")
/// let status = app.run { SecItemAdd(query, nil) }
/// try device.lock()
/// ```
public final class VirtualDevice: Sendable {
    /// The platform of the device.
    public let platform: Platform

    /// The clock of the device.
    public let clock: VirtualClock

    /// The owner of the device, who answers its prompts, and remembers them.
    public let owner: Owner

    /// The log of its apps' calls.
    public let calls = CallLog()

    /// The faults that the test injects into its apps' calls.
    public let faults = Faults()

    /// The keychain of the device; the same during its lifetime.
    package let keychain: EmbeddedKeychain

    /// The keychain that serves the apps and the device itself; the same during the lifetime of the device.
    package let backend: any KeychainBackend

    /// The folder that contains the keychain's folder; `nil` for a keychain in memory.
    let folder: DeviceFolder?

    /// The file-based keychains of a Mac; `nil` on other devices, which have none.
    package let macKeychains: MacKeychains?

    /// The item functions on file-based keychains; on a device without them they fail.
    package let fileBased: FileBasedKeychain

    /// The owner's trust settings, in addition to the system's.
    let trustSettings: TrustSettingsStore

    let condition = Guarded(ConditionInForce())

    /// Its part in a cloud, which ends when the device is erased or restored (KeychainCloud).
    package let cloudPart = Guarded<(any AnyObject & Sendable)?>(nil)

    /// Whether it does not reach its cloud.
    package let isOffline = Guarded(false)

    /// The test that created it, if that is known.
    let scope = TestScope.current

    /// Creates a device with an empty keychain, unlocked.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - passcode: its passcode; `nil` for none.
    ///   - sensor: the biometric sensor; one face or finger is enrolled.
    ///   - storage: the storage of its keychain.
    /// - Throws: ``VirtualDeviceError`` for an empty passcode, and if no folder can be created.
    public convenience init(
        _ platform: Platform = .default,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory
    ) throws(VirtualDeviceError) {
        try self.init(platform, passcode: passcode, biometry: sensor, storage: storage, transport: .direct)
    }

    /// Makes a device with a particular transport to its keychain.
    package init(
        _ platform: Platform = .default,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory,
        transport: DeviceTransport
    ) throws(VirtualDeviceError) {
        self.platform = platform
        scope?.add(calls)
        clock = VirtualClock()
        owner = Owner(Self.biometry(sensor), hiddenPasscode: platform.hiddenPasscode ?? "")
        trustSettings = .inMemory()
        var options = Self.options(for: platform, owner: owner, clock: clock)
        let judge = SystemTrust(settings: trustSettings)
        options.certificateJudge = judge
        options.authenticator = transport.authenticator(options.authenticator)
        let macKeychains = platform == .mac ? try MacKeychains(passcode: passcode, owner, clock) : nil
        self.macKeychains = macKeychains
        let fileBased = macKeychains?.fileBased(for: owner, clock: clock, judge: judge) ?? .none
        self.fileBased = fileBased
        func routedBackend(to keychain: EmbeddedKeychain) -> any KeychainBackend {
            let backend = transport.backend(keychain)
            return macKeychains?.frontEnd(backend, fileBased) ?? backend
        }
        switch storage {
        case .memory:
            folder = nil
            keychain = try Self.keychain(passcode: passcode ?? platform.hiddenPasscode, options, clock)
            backend = routedBackend(to: keychain)
            owner.passcode = passcode
        case .file:
            let folder = try DeviceFolder()
            self.folder = folder
            keychain = EmbeddedKeychain(at: Self.location(folder), device: options, clock: clock.dates)
            backend = routedBackend(to: keychain)
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

    /// The default passcode.
    public static let defaultPasscode = "1234"

    /// Another process with the same keychain: it has no keys until it unlocks.
    ///
    /// - Throws: ``VirtualDeviceError`` for a keychain in memory.
    package func anotherProcess() throws(VirtualDeviceError) -> EmbeddedKeychain {
        guard let folder else {
            throw VirtualDeviceError(.parameter("a keychain in memory is that of one process"))
        }
        var options = Self.options(for: platform, owner: owner, clock: clock)
        options.certificateJudge = SystemTrust(settings: trustSettings)
        return EmbeddedKeychain(at: Self.location(folder), device: options, clock: clock.dates)
    }

    static func location(_ folder: DeviceFolder) -> KeychainLocation {
        KeychainLocation(path: folder.path(of: "keychain"))
    }

    private static func options(for platform: Platform, owner: Owner, clock: VirtualClock) -> DeviceOptions {
        var options = DeviceOptions(authenticator: owner.authenticator, hostClock: clock.host)
        options.passwordWork = .minimum
        options.personality = platform == .simulator ? .simulator : .device
        options.onEvent = { [weak owner] event in owner?.handle(event) }
        return options
    }
}

extension VirtualDevice {
    /// The platform of a device.
    public enum Platform: String, Sendable, Hashable, CaseIterable {
        /// A phone or a tablet.
        case iOS
        /// A Mac, as seen by a program whose calls all reach the data protection keychain
        /// (`kSecUseDataProtectionKeychain`).
        case macOS

        /// A Mac with file-based keychains, and the macOS front end for them and the data protection keychain
        /// (Semantics, "The macOS front end").
        ///
        /// A call without `kSecUseDataProtectionKeychain` may reach the login keychain, a file whose password is the
        /// passcode.
        case mac

        /// The simulator of iOS, which enforces no data protection.
        ///
        /// Locking and rebooting make no item inaccessible; levels that require a passcode work without one, and their
        /// items survive its removal; guarded items and keys are used without a prompt.
        case simulator

        /// The default platform of a device: the one that `SWIFT_KEYCHAIN_PLATFORM` names, `iOS` or `macOS`, as set by
        /// `keychainctl test`, else ``iOS``.
        ///
        /// A test that needs a phone or a Mac names it.
        public static let `default`: Self = ProcessClient.chosenProfile == .macOS ? .macOS : .iOS

        /// Whether it is a Mac, with or without file-based keychains.
        package var isMac: Bool { self == .macOS || self == .mac }

        /// The platforms on which every call reaches the data protection keychain, and it alone.
        package static let withOneKeychain = allCases.filter { $0 != .mac }

        /// The passcode of a simulator's keychain if the test sets none, so that the keys of every level exist.
        var hiddenPasscode: String? { self == .simulator ? "there is always one" : nil }
    }

    /// The storage of a device's keychain.
    public enum Storage: String, Sendable, Hashable, CaseIterable {
        /// In memory.
        case memory
        /// In files, in a private folder that is removed with the device.
        case file
    }
}

extension FileBasedKeychain {
    /// No file-based keychains: every call fails, and there is no folder for preferences.
    fileprivate static let none = FileBasedKeychain(
        UnavailableKeychain(reason: "the device has no file-based keychains; VirtualDevice(.mac) has"),
        KeychainPreferences(home: KeychainHome(path: "/dev/null")),
        program: TrustedApplication(path: ""),
        now: { .referenceDate }
    )
}
