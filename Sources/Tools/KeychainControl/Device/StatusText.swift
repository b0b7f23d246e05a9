// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// A device's status, as text and as JSON.
enum StatusText {
    /// Lines of a name and a value.
    static func plain(
        _ status: DeviceStatus,
        _ summary: DeviceSummary,
        store: StoreStatus? = nil,
        backups: BackupSchedule? = nil
    ) -> String {
        var rows = [
            ("State", status.lockState.rawValue),
            ("Passcode", status.hasPasscode ? "set" : "not set"),
            ("Recovery key", RecoveryKeyText.value(summary)),
            ("Wrong passcodes", attempts(status)),
            (
                "Locks itself",
                status.policy.autoLockAfterSeconds.map { "after \(Duration.text(Double($0))) without a call" }
            ),
            (
                "Erases itself",
                status.policy.eraseAfterFailedAttempts.map { "after \(Count.text($0, "wrong passcode"))" }
            ),
        ]
        if let store, let file = store.file {
            let program = FileFormat.text(of: store.program)
            rows.append(("Store format", "\(file.text), used by a program that knows \(program)"))
        }
        if let backups { rows.append(("Scheduled backup", backups.line)) }
        return StatusRows.text(rows.map { ($0.0, $0.1 ?? "never") })
    }

    /// A JSON object; `nil` values are `null`.
    static func json(
        _ status: DeviceStatus,
        _ summary: DeviceSummary,
        store: StoreStatus? = nil,
        backups: BackupSchedule? = nil
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let form = Form(status: status, summary: summary, store: store, backups: backups)
        return String(decoding: try encoder.encode(form), as: UTF8.self)
    }

    private static func attempts(_ status: DeviceStatus) -> String {
        let wait = Duration.text(status.secondsUntilNextAttempt)
        return "\(status.failedAttempts) in a row"
            + (status.secondsUntilNextAttempt > 0 ? ", next attempt in \(wait)" : "")
    }

    private struct Form: Encodable {
        let status: DeviceStatus
        let summary: DeviceSummary
        let store: StoreStatus?
        let backups: BackupSchedule?

        private enum Key: String, CodingKey {
            case state, passcodeSet, failedAttempts, secondsUntilNextAttempt
            case autoLockAfterSeconds, eraseAfterFailedAttempts, recoveryKeyCreated, storeFormat, programFormat
            case scheduledBackup
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(state, forKey: .state)
            try object.encode(status.hasPasscode, forKey: .passcodeSet)
            try object.encode(status.failedAttempts, forKey: .failedAttempts)
            try object.encode(status.secondsUntilNextAttempt, forKey: .secondsUntilNextAttempt)
            try object.encode(status.policy.autoLockAfterSeconds, forKey: .autoLockAfterSeconds)
            try object.encode(status.policy.eraseAfterFailedAttempts, forKey: .eraseAfterFailedAttempts)
            try object.encode(summary.recoveryKeyDate.map(RecoveryKeyText.date), forKey: .recoveryKeyCreated)
            try object.encode(store?.file?.text, forKey: .storeFormat)
            try object.encode(store.map { FileFormat.text(of: $0.program) }, forKey: .programFormat)
            // Without a schedule there is nothing to report.
            guard let backups else { return }
            var backup = object.nestedContainer(keyedBy: BackupKey.self, forKey: .scheduledBackup)
            let own = backups.ofThisFolder
            try backup.encode(own?.lastGood?.date, forKey: .lastGood)
            try backup.encode(own?.lastIncomplete?.date, forKey: .lastIncomplete)
            try backup.encode(own?.lastFailure?.date, forKey: .lastFailure)
            try backup.encode(backups.isOfOtherFolder ? backups.place.path : nil, forKey: .otherFolder)
        }

        private enum BackupKey: String, CodingKey {
            case lastGood, lastIncomplete, lastFailure, otherFolder
        }

        private var state: String {
            switch status.lockState {
            case .beforeFirstUnlock: "beforeFirstUnlock"
            case .unlocked: "unlocked"
            case .locked: "locked"
            }
        }
    }
}
