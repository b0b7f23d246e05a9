// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// What is said of a recovery key.
enum RecoveryKeyText {
    /// A line of text.
    static func plain(_ summary: DeviceSummary) -> String {
        StatusRows.text([("Recovery key", value(summary))])
    }

    /// The value in a row of a status.
    static func value(_ summary: DeviceSummary) -> String {
        summary.recoveryKeyDate.map { "made \(date($0))" } ?? "none"
    }

    /// Names a recovery key that is there where a passcode is set or changed: another program may have left it, which
    /// would open everything with it.
    static func remark(_ summary: DeviceSummary?, in surroundings: Surroundings) {
        guard let time = summary?.recoveryKeyDate else { return }
        surroundings.remark("There is a recovery key, made \(date(time)): \(DeviceSummary.adviceOnRecoveryKey)")
    }

    /// A JSON object; `created` is `null` where there is none.
    static func json(_ summary: DeviceSummary) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(Form(created: summary.recoveryKeyDate.map(date))), as: UTF8.self)
    }

    /// A time, in UTC.
    static func date(_ time: Timestamp) -> String {
        Date(timeIntervalSinceReferenceDate: time.secondsSinceReferenceDate).formatted(.iso8601)
    }

    /// What is known of a device that has a recovery key.
    ///
    /// - Throws: ``Refusal`` for one that has none.
    @discardableResult
    static func requireOne(_ device: KeychainDevice) throws(Refusal) -> DeviceSummary {
        let summary = try refusing { () throws(KeychainError) in try device.summary() }
        guard summary.exists else { throw Refusal("there is no keychain yet") }
        guard summary.recoveryKeyDate != nil else { throw Refusal(KeychainError(DeviceError.noRecoveryKey)) }
        return summary
    }

    private struct Form: Encodable {
        let created: String?

        private enum Key: String, CodingKey {
            case created
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(created, forKey: .created)
        }
    }
}
