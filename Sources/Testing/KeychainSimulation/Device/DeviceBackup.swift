// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainDoctor
import KeychainEngine

/// An encrypted backup of a virtual device, which can be restored to others during the lifetime of the object.
public final class DeviceBackup: Sendable {
    /// Its contents, and what it leaves out.
    public let report: Report

    private let folder: DeviceFolder

    /// The history of the device.
    fileprivate let history: CallHistory

    /// The contents of a backup, and what it leaves out.
    public struct Report: Sendable, Hashable {
        /// The number of items in it.
        public let items: Int

        /// The number of items left behind because they are bound to the device, by the values of `kSecAttrAccessible`.
        ///
        /// Includes keys of the enclave, regardless of their level.
        public let leftBehind: [String: Int]

        /// The number of items that could not be opened, and so are not in it.
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
    /// Creates an encrypted backup of the device.
    ///
    /// - Parameter password: the password that protects it.
    /// - Returns: The backup.
    /// - Throws: ``VirtualDeviceError`` for an empty password, and while the device is locked.
    public func backUp(password: String) throws(VirtualDeviceError) -> DeviceBackup {
        try DeviceBackup(of: self, password)
    }

    /// Restores a backup to a new device.
    ///
    /// - Parameters:
    ///   - backup: the backup of this device or of another one.
    ///   - password: the password that protects the backup.
    ///   - platform: the platform of the new device.
    ///   - passcode: its passcode; `nil` for none.
    ///   - sensor: the biometric sensor; the enrolled face or finger differs from that of every other device.
    ///   - storage: the storage of its keychain.
    /// - Throws: ``VirtualDeviceError`` for a wrong password, and the errors of ``init(_:passcode:biometry:storage:)``.
    public convenience init(
        restoring backup: DeviceBackup,
        password: String,
        _ platform: Platform = .default,
        passcode: String? = VirtualDevice.defaultPasscode,
        biometry sensor: Sensor = .faceID,
        storage: Storage = .memory
    ) throws(VirtualDeviceError) {
        try self.init(platform, passcode: nil, biometry: sensor, storage: storage)
        _ = try apply(backup, password)
        if let passcode { try setPasscode(passcode) }
    }

    /// Restores a backup to this device, which must have no items: it is new, or was erased.
    ///
    /// Its passcode and enrolment are set up again afterwards, as on a new phone: with the same passcode, and another
    /// face or finger.
    ///
    /// - Returns: The contents of the backup, and the items that it omits.
    /// - Throws: ``VirtualDeviceError`` for a wrong password, if there are items, and for a locked device; then nothing
    ///   has changed.
    @discardableResult
    public func restore(_ backup: DeviceBackup, password: String) throws(VirtualDeviceError) -> DeviceBackup.Report {
        guard let passcode else { return try apply(backup, password) }
        guard try isEmpty() else { throw VirtualDeviceError(KeychainError(DeviceError.passcodeAlreadySet)) }
        // A wrong password is detected before anything is removed.
        _ = try VirtualDevice(restoring: backup, password: password, platform)
        let isEnrolled = owner.authenticator.biometry.enrolledSet != nil
        try removePasscode()
        let report = try apply(backup, password)
        try setPasscode(passcode)
        if isEnrolled { enrollBiometry() }
        return report
    }

    /// Whether the keychain has no items, counting those that backups leave out.
    private func isEmpty() throws(VirtualDeviceError) -> Bool {
        let report = try backUp(password: "of nothing").report
        return report.items == 0 && report.damaged == 0 && report.leftBehind.values.allSatisfy { $0 == 0 }
    }

    private func apply(_ backup: DeviceBackup, _ password: String) throws(VirtualDeviceError) -> DeviceBackup.Report {
        let report: BackupReport
        do throws(KeychainError) {
            report = try keychain.restoreBackup(from: backup.path, secret: Self.secret(password))
        } catch {
            throw VirtualDeviceError(error)
        }
        leaveCloud()
        calls.history = CallHistory(backup.history.events + [.restored])
        try hidePasscode()
        return DeviceBackup.Report(report)
    }
}
