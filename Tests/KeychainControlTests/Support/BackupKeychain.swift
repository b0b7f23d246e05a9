// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Synchronization

/// A keychain that is nothing but a device and what a test says of backups.
final class BackupKeychain: KeychainBackend {
    private let fake: KeychainDevice.Perform
    private let report: BackupReport
    private let backupError: KeychainError?
    private let state = Mutex<[Backup]>([])

    /// A backup that was written or read.
    struct Backup: Equatable {
        let path: String
        let secret: SecretBytes
    }

    init(
        device: @escaping KeychainDevice.Perform,
        report: BackupReport = BackupReport(items: 0, leftOut: [:], damaged: 0),
        backupError: KeychainError? = nil
    ) {
        fake = device
        self.report = report
        self.backupError = backupError
    }

    convenience init(
        device: FakeDevice,
        report: BackupReport = BackupReport(items: 0, leftOut: [:], damaged: 0),
        backupError: KeychainError? = nil
    ) {
        self.init(device: device.perform, report: report, backupError: backupError)
    }

    var backups: [Backup] { state.withLock(\.self) }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .device(let command): return try fake(command)
        case .maintenance(.createBackup(let request)):
            guard case .path(let path) = request.destination, case .given(let secret) = request.secret else {
                throw KeychainError(.notAvailable, "a test has no use for this")
            }
            if let backupError { throw backupError }
            state.withLock { $0.append(Backup(path: path, secret: secret)) }
            return .backup(report)
        case .items, .explain, .itemsExplained, .authentication, .enclave, .maintenance, .files, .lookup,
            .history:
            throw KeychainError(.notAvailable, "a test has no use for this")
        }
    }
}

/// A device that refuses everything for one reason, but tells its status.
struct RefusingDevice: Sendable {
    let error: KeychainError
    var isStatusRefused = false

    func perform(_ command: KeychainCommand.Device) throws(KeychainError) -> KeychainReply {
        guard !isStatusRefused else { throw error }
        switch command {
        case .status: return .deviceStatus(DeviceStatus(lockState: .locked, hasPasscode: true))
        case .summary: return .deviceSummary(DeviceSummary(exists: true))
        default: throw error
        }
    }
}
