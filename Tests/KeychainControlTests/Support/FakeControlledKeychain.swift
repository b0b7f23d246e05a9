// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Synchronization

@testable import KeychainControl

/// A keychain that is nothing but a device and what a test says of backups.
final class FakeControlledKeychain: ControlledKeychain {
    let device: any KeychainDevice
    private let report: BackupReport
    private let backupError: KeychainError?
    private let state = Mutex<[Backup]>([])

    /// A backup that was written or read.
    struct Backup: Equatable {
        let path: String
        let secret: SecretBytes
    }

    init(
        device: any KeychainDevice,
        report: BackupReport = BackupReport(items: 0, leftOut: [:], damaged: 0),
        backupError: KeychainError? = nil
    ) {
        self.device = device
        self.report = report
        self.backupError = backupError
    }

    var backups: [Backup] { state.withLock(\.self) }

    func offerUnlock(passcode: SecretBytes) throws(KeychainError) -> UnlockOffer? {
        try device.unlock(passcode: passcode)
        return nil
    }

    func createBackup(at path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try note(path, secret)
    }

    func restoreBackup(from path: String, secret: SecretBytes) throws(KeychainError) -> BackupReport {
        try note(path, secret)
    }

    private func note(_ path: String, _ secret: SecretBytes) throws(KeychainError) -> BackupReport {
        if let backupError { throw backupError }
        state.withLock { $0.append(Backup(path: path, secret: secret)) }
        return report
    }
}

/// A device that refuses everything for one reason, but tells its status.
struct RefusingDevice: KeychainDevice {
    let error: KeychainError
    var isStatusRefused = false

    func status() throws(KeychainError) -> DeviceStatus {
        if isStatusRefused { throw error }
        return DeviceStatus(lockState: .locked, hasPasscode: true)
    }

    func lock() throws(KeychainError) { throw error }
    func unlock(passcode: SecretBytes) throws(KeychainError) { throw error }
    func setPasscode(_ passcode: SecretBytes) throws(KeychainError) { throw error }
    func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) { throw error }
    func removePasscode(_ passcode: SecretBytes) throws(KeychainError) { throw error }
    func setPolicy(_ policy: DevicePolicy) throws(KeychainError) { throw error }
    func lockThisProcess() {}
}
