// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainDoctor
import KeychainEngine

/// An encrypted backup of a virtual device, which can be restored to others for as long as the object is there.
public final class DeviceBackup: Sendable {
    /// What it holds, and what it does not.
    public let report: Report

    private let folder: DeviceFolder

    /// What had happened on the device.
    fileprivate let history: CallHistory

    /// What a backup holds, and what it does not.
    public struct Report: Sendable, Hashable {
        /// How many items it holds.
        public let items: Int

        /// How many items stay on the device that they are bound to, by the values of `kSecAttrAccessible`.
        ///
        /// Keys of the enclave are among them, whatever their level.
        public let leftBehind: [String: Int]

        /// How many items did not open, and so are not in it.
        public let damaged: Int

        init(_ report: BackupReport) {
            items = report.items
            leftBehind = Dictionary(uniqueKeysWithValues: report.leftOut.map { ($0.key.rawValue, $0.value) })
            damaged = report.damaged
        }
    }

    fileprivate init(of device: VirtualDevice, _ password: String) throws(VirtualDeviceError) {
        let folder = try DeviceFolder()
        self.folder = folder
        history = device.calls.history
        do throws(KeychainError) {
            report = Report(
                try device.keychain.createBackup(at: Self.path(in: folder), secret: VirtualDevice.secret(password))
            )
        } catch {
            throw VirtualDeviceError(error)
        }
    }

    fileprivate var path: String { Self.path(in: folder) }

    private static func path(in folder: DeviceFolder) -> String { folder.path(of: "device.backup") }
}

extension VirtualDevice {
    /// Makes an encrypted backup of the device.
    ///
    /// - Parameter password: what protects it.
    /// - Returns: The backup.
    /// - Throws: ``VirtualDeviceError`` for an empty password, and while the device is locked.
    public func backUp(password: String) throws(VirtualDeviceError) -> DeviceBackup {
        try DeviceBackup(of: self, password)
    }

    /// Makes a new device of a backup.
    ///
    /// - Parameters:
    ///   - backup: the backup of this device or of another one.
    ///   - password: what protects the backup.
    ///   - platform: what the new device is.
    ///   - passcode: its passcode; `nil` for none.
    ///   - sensor: what its owner can be recognized by; another face or finger than on every other device is enrolled.
    ///   - storage: where its keychain lies.
    /// - Throws: ``VirtualDeviceError`` for a wrong password, and as ``init(_:passcode:biometry:storage:)``.
    public convenience init(
        restoring backup: DeviceBackup,
        password: String,
        _ platform: Platform = .iOS,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory
    ) throws(VirtualDeviceError) {
        try self.init(platform, passcode: nil, biometry: sensor, storage: storage)
        _ = try put(backup, password)
        if let passcode { try setPasscode(passcode) }
    }

    /// Puts what a backup holds onto this device, which has no items: it is new, or was erased.
    ///
    /// A passcode and an enrolment that it has are set up again afterwards, as on a new phone: with the passcode of
    /// before, and another face or finger.
    ///
    /// - Returns: What the backup held, and what it did not.
    /// - Throws: ``VirtualDeviceError`` for a wrong password, when there are items, and for a locked device; nothing
    ///   has changed then.
    @discardableResult
    public func restore(_ backup: DeviceBackup, password: String) throws(VirtualDeviceError) -> DeviceBackup.Report {
        guard let passcode else { return try put(backup, password) }
        guard try isEmpty() else { throw VirtualDeviceError(KeychainError(DeviceError.passcodeAlreadySet)) }
        // A wrong password is found out before anything is removed.
        _ = try VirtualDevice(restoring: backup, password: password, platform)
        let isEnrolled = owner.authenticator.biometry.enrolledSet != nil
        try removePasscode()
        let report = try put(backup, password)
        try setPasscode(passcode)
        if isEnrolled { enrollBiometry() }
        return report
    }

    /// Whether the keychain has no item: what a backup holds, and what it leaves behind.
    private func isEmpty() throws(VirtualDeviceError) -> Bool {
        let report = try backUp(password: "of nothing").report
        return report.items == 0 && report.damaged == 0 && report.leftBehind.values.allSatisfy { $0 == 0 }
    }

    private func put(_ backup: DeviceBackup, _ password: String) throws(VirtualDeviceError) -> DeviceBackup.Report {
        let report: BackupReport
        do throws(KeychainError) {
            report = try keychain.restoreBackup(from: backup.path, secret: Self.secret(password))
        } catch {
            throw VirtualDeviceError(error)
        }
        calls.history = CallHistory(backup.history.events + [.restored])
        try hidePasscode()
        return DeviceBackup.Report(report)
    }
}
